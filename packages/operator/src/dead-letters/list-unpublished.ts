import { lookForUnpublished } from '@tideport/repair/dead-letters/unpublished-events'
import type { Printer } from '@tideport/service-kit/process/print-rows'
import type { Installation } from '../open-installation.ts'
import { type Page, readPage } from './read-page.ts'

/** Events that no relay got out, or that break their contract, oldest first. Returns where the next page begins. */
export async function listUnpublished(
  { db }: Installation,
  page: Page,
  printer: Printer,
  signal: AbortSignal,
): Promise<string | null> {
  const { olderThanSeconds } = page
  const { shown, next } = await readPage(page, (after) => lookForUnpublished(db, { olderThanSeconds }, after), signal)
  for (const { id, subjectId, type, at, failure } of shown)
    printer.row({ kind: 'event', eventId: id, subjectId, event: type, since: at, failure })
  return next
}
