import { readCopies } from '@tideport/file-lifecycle/state/file-copies'
import { type FileInError, lookForErrors } from '@tideport/repair/dead-letters/files-in-error'
import { AppError } from '@tideport/service-kit/process/app-error'
import { inParallel } from '@tideport/service-kit/process/in-parallel'
import type { Printer } from '@tideport/service-kit/process/print-rows'
import type { Installation } from '../open-installation.ts'
import { type Page, readPage } from './read-page.ts'

/** Files in error, with what is left of them in either tier. Returns where the next page begins. */
export async function listFiles(
  { db, hotTier }: Installation,
  page: Page,
  printer: Printer,
  signal: AbortSignal,
): Promise<string | null> {
  const { shown, next } = await readPage(page, (after) => lookForErrors(db, page, after), signal)
  const left = new Map<string, { hotBytes: string; copies: string }>()
  await inParallel(shown, async (file) => {
    const hotBytes = await lookForHotBytes(hotTier, file, signal)
    left.set(file.id, { hotBytes, copies: await nameCopies(db, file) })
  })
  for (const file of shown) {
    printer.row({
      kind: 'file',
      fileId: file.id,
      accountId: file.accountId,
      errorCode: file.errorCode,
      since: file.erroredAt,
      sizeBytes: file.sizeBytes,
      ...left.get(file.id),
    })
  }
  return next
}

/** What the rows say, such as `lake: failed, walrus: stored`. */
async function nameCopies(db: Installation['db'], { id }: FileInError): Promise<string> {
  return (await readCopies(db, id)).map(({ network, state, lostAt }) => `${network}: ${state === 'planned' && lostAt ? 'lost' : state}`).join(', ') // biome-ignore format: one chain
}

async function lookForHotBytes(hotTier: Installation['hotTier'], file: FileInError, signal: AbortSignal) {
  if (file.hotKey === null) return 'gone'
  try {
    return (await hotTier.head(file.hotKey, { sizeBytes: file.sizeBytes, signal })) === file.sizeBytes
      ? 'there'
      : 'gone'
  } catch (error) {
    if (error instanceof AppError && error.code === 'unavailable') return 'unknown'
    throw error
  }
}
