import { lookForFailedCopies } from '@tideport/repair/dead-letters/failed-copies'
import type { Place } from '@tideport/repair/dead-letters/look'
import type { Printer } from '@tideport/service-kit/process/print-rows'
import type { Installation } from '../open-installation.ts'
import { type Page, readPage } from './read-page.ts'

/** Copies that were given up, of files that are well otherwise. Returns where the next page begins. */
export async function listCopies(
  { db, networks }: Installation,
  page: Page,
  printer: Printer,
  signal: AbortSignal,
): Promise<string | null> {
  const look = (after: Place | null) => lookForFailedCopies(db, networks.order, page, after)
  const { shown, next } = await readPage(page, look, signal)
  for (const { id: fileId, accountId, network, status, reason: errorCode, failedAt: since, sizeBytes } of shown) {
    printer.row({ kind: 'copy', fileId, accountId, network, status, errorCode, since, sizeBytes })
  }
  return next
}
