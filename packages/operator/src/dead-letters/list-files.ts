import { isOnNetwork } from '@tideport/file-lifecycle/copies/open-bytes'
import { type ErrorPlace, type FileInError, filesInError } from '@tideport/file-lifecycle/repair/files-in-error'
import { AppError } from '@tideport/service-kit/process/app-error'
import type { Printer } from '@tideport/service-kit/process/print-rows'
import { inParallel } from '../in-parallel.ts'
import type { Installation } from '../open-installation.ts'
import { formatPlace, parsePlace } from '../options.ts'
import type { Page } from './dead-letters.ts'

/** Files in error, with what is left of them in the hot tier. Answers where the next page begins. */
export async function listFiles(
  { db, hotTier }: Installation,
  { limit, after, ...filter }: Page,
  printer: Printer,
  signal: AbortSignal,
): Promise<string | null> {
  const page: FileInError[] = []
  for await (const file of filesInError(db, filter, parsePlace<ErrorPlace>('after', after))) {
    signal.throwIfAborted()
    page.push(file)
    if (page.length > limit) break
  }
  const shown = page.slice(0, limit)
  const hotBytes = new Map<string, string>()
  await inParallel(shown, async (file) => {
    hotBytes.set(file.id, await lookForHotBytes(hotTier, file, signal))
  })
  for (const file of shown) {
    printer.row({
      kind: 'file',
      fileId: file.id,
      accountId: file.accountId,
      errorCode: file.errorCode,
      since: file.erroredAt,
      sizeBytes: file.sizeBytes,
      hotBytes: hotBytes.get(file.id) ?? null,
      networkCopy: isOnNetwork(file) ? 'named' : 'none',
    })
  }
  const last = shown.at(-1)
  return page.length > limit && last ? formatPlace(last.place) : null
}

async function lookForHotBytes(hotTier: Installation['hotTier'], file: FileInError, signal: AbortSignal) {
  if (file.hotKey === null) return 'gone'
  try {
    return (await hotTier.head(file.hotKey, signal)) === file.sizeBytes ? 'there' : 'gone'
  } catch (error) {
    if (error instanceof AppError && error.code === 'unavailable') return 'unknown'
    throw error
  }
}
