import { listAccountEvents } from '@tideport/contracts/public/account-events'
import { listCursor, positionParts, toPage } from '@tideport/service-kit/http/list-cursor'
import { type RouteInput, serve } from '@tideport/service-kit/http/route'
import type { Kysely } from 'kysely'
import { z } from 'zod'
import { toAuditEvent } from '../audit/views.ts'
import type { AuditEventRow, AuthDb } from '../tables.ts'

type Query = RouteInput<typeof listAccountEvents>['query']

const position = z.object({ at: positionParts.time, id: positionParts.id })

export function listAccountEventsRoute(db: Kysely<AuthDb>) {
  return serve(listAccountEvents, async ({ principal, query }) => {
    const { limit, cursor, ...filters } = query
    const list = { reader: principal.accountId, list: 'account events', ...filters }
    const cursors = await listCursor(db, list, position)
    const rows = await selectPage(db, principal.accountId, query, cursors.decode(cursor))
    const { page, nextCursor } = toPage(cursors, rows, limit)
    return { events: page.map(toAuditEvent), nextCursor }
  })
}

async function selectPage(
  db: Kysely<AuthDb>,
  accountId: string,
  { kind, after, before, limit }: Query,
  last: z.infer<typeof position> | null,
): Promise<AuditEventRow[]> {
  let query = db.selectFrom('auditEvent').selectAll().where('accountId', '=', accountId)
  if (kind !== undefined) query = query.where('kind', '=', kind)
  if (after !== undefined) query = query.where('at', '>=', new Date(after))
  if (before !== undefined) query = query.where('at', '<', new Date(before))
  if (last !== null) {
    query = query.where(({ eb, refTuple, tuple }) => eb(refTuple('at', 'id'), '<', tuple(last.at, last.id)))
  }
  return await query
    .orderBy('at', 'desc')
    .orderBy('id', 'desc')
    .limit(limit + 1)
    .execute()
}
