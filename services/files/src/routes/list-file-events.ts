import { listFileEvents } from '@tideport/contracts/public/account-events'
import type { AuditActor } from '@tideport/contracts/public/audit-event'
import type { FilesDb } from '@tideport/file-lifecycle/state/tables'
import { serve } from '@tideport/service-kit/http/route'
import type { Kysely } from 'kysely'
import { type LoggedRow, walkFileEvents } from '../lists/file-events.ts'
import { openPage } from '../lists/list-page.ts'

/** Of looking through many entries without filling a page, in requests. */
const CUT_COST = 5

type Details = Record<string, string | number | boolean | null>

/** `GET /api/account/file-events`, newest first. */
export function listFileEventsRoute({ db }: { db: Kysely<FilesDb> }) {
  return serve(listFileEvents, async ({ principal: { accountId }, query, charge }) => {
    const { limit, cursor, ...filters } = query
    const newestFirst = { limit, cursor, sortBy: 'createdAt', order: 'desc' } as const
    const page = await openPage(db, newestFirst, { reader: accountId, list: 'file events', ...filters })
    const { rows } = await walkFileEvents(accountId, filters, page.keyset).execute(db)
    const { rows: found, nextCursor, isCut } = page.close(rows)
    if (isCut) charge(CUT_COST)
    return { events: found.map(toFileEvent), nextCursor }
  })
}

function toFileEvent({ id, createdAt, subjectKind: subject, subjectId, type: kind, ...row }: LoggedRow) {
  const { requestId, clientAddress, actor, payload } = row
  const details = ('data' in payload ? payload.data : payload) as Details
  return {
    ...{ id, kind, subject, subjectId, at: createdAt.toISOString() },
    ...{ actor: actor as AuditActor, clientAddress, requestId, details },
  }
}
