import { listOperatorEvents } from '@tideport/contracts/public/operator-events'
import { placeOfTime } from '@tideport/file-lifecycle/repair/dead-letters/look'
import type { FilesDb } from '@tideport/file-lifecycle/state/tables'
import { listCursor, positionParts, toPage } from '@tideport/service-kit/http/list-cursor'
import { serve } from '@tideport/service-kit/http/route'
import { type Kysely, sql } from 'kysely'
import { z } from 'zod'

interface Row {
  id: string
  at: Date
  placedAt: string
  kind: string
  accountId: string
  subject: string | null
  clientAddress: string | null
  requestId: string
  details: Record<string, string | number | boolean | null>
}

const cursors = listCursor(
  { list: 'operator events' },
  z.object({ placedAt: positionParts.microseconds, id: positionParts.id }),
)

/** `GET /api/operator/events`, newest first. */
export function listOperatorEventsRoute({ db }: { db: Kysely<FilesDb> }) {
  return serve(listOperatorEvents, async ({ query: { cursor, limit } }) => {
    const last = cursors.decode(cursor)
    const isNext = last ? sql`(at, id) < (${last.placedAt}::timestamptz, ${last.id}::uuid)` : sql`true`
    const { rows } = await sql<Row>`
      select *, ${placeOfTime(sql`at`)} as placed_at from operator_event where ${isNext}
      order by operator_event.at desc, id desc limit ${limit + 1}`.execute(db)
    const { page, nextCursor } = toPage(cursors, rows, limit)
    return { events: page.map(({ placedAt: _, at, ...row }) => ({ ...row, at: at.toISOString() })), nextCursor }
  })
}
