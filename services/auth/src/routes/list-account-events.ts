import { listAccountEvents } from '@tideport/contracts/public/account-events'
import { type RouteInput, serve } from '@tideport/service-kit/http/route'
import type { Kysely } from 'kysely'
import { decodePlace, type EventPlace, encodePlace } from '../audit/event-cursor.ts'
import { toAuditEvent } from '../audit/views.ts'
import type { AuditEventRow, AuthDb } from '../tables.ts'

type Query = RouteInput<typeof listAccountEvents>['query']

/** `GET /api/account/events`, newest first. */
export function listAccountEventsRoute({ db }: { db: Kysely<AuthDb> }) {
  return serve(listAccountEvents, async ({ principal, query }) => {
    const { limit, cursor, ...filters } = query
    const list = JSON.stringify([filters.kind, filters.after, filters.before])
    const place = cursor === undefined ? null : decodePlace(list, cursor)
    const rows = await selectPage(db, principal.accountId, query, place)
    const page = rows.slice(0, limit)
    const last = rows.length > limit ? page.at(-1) : undefined
    return { events: page.map(toAuditEvent), nextCursor: last === undefined ? null : encodePlace(list, last) }
  })
}

async function selectPage(
  db: Kysely<AuthDb>,
  accountId: string,
  { kind, after, before, limit }: Query,
  place: EventPlace | null,
): Promise<AuditEventRow[]> {
  let query = db.selectFrom('auditEvent').selectAll().where('accountId', '=', accountId)
  if (kind !== undefined) query = query.where('kind', '=', kind)
  if (after !== undefined) query = query.where('at', '>=', new Date(after))
  if (before !== undefined) query = query.where('at', '<', new Date(before))
  if (place !== null) {
    query = query.where(({ eb, refTuple, tuple }) => eb(refTuple('at', 'id'), '<', tuple(place.at, place.id)))
  }
  return await query
    .orderBy('at', 'desc')
    .orderBy('id', 'desc')
    .limit(limit + 1)
    .execute()
}
