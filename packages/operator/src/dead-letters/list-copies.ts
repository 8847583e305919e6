import { type CopyPlace, type FailedCopy, failedCopies } from '@tideport/file-lifecycle/repair/failed-copies'
import type { Printer } from '@tideport/service-kit/process/print-rows'
import type { Installation } from '../open-installation.ts'
import { formatPlace, parsePlace } from '../options.ts'
import type { Page } from './dead-letters.ts'

/** Copies that were given up, of files that are well otherwise. Returns where the next page begins. */
export async function listCopies(
  { db, networks }: Installation,
  { limit, after, ...filter }: Page,
  printer: Printer,
  signal: AbortSignal,
): Promise<string | null> {
  const page: FailedCopy[] = []
  for await (const copy of failedCopies(db, networks.order, filter, parsePlace<CopyPlace>('after', after))) {
    signal.throwIfAborted()
    page.push(copy)
    if (page.length > limit) break
  }
  const shown = page.slice(0, limit)
  for (const { id: fileId, accountId, network, status, reason: errorCode, failedAt: since, sizeBytes } of shown) {
    printer.row({ kind: 'copy', fileId, accountId, network, status, errorCode, since, sizeBytes })
  }
  const last = shown.at(-1)
  return page.length > limit && last ? formatPlace({ network: last.network, fileId: last.id }) : null
}
