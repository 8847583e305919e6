import type { OperatorEvent } from '@tideport/contracts/public/operator-events'
import { type QueryExecutorProvider, sql } from 'kysely'
import { v7 as uuidv7 } from 'uuid'
import { z } from 'zod'
import { auditOriginOf } from './audit-origin.ts'
import { listCursor, positionParts, toPage } from './list-cursor.ts'

export interface Operation {
  kind: string
  details: OperatorEvent['details']
}

type Asked = Parameters<typeof auditOriginOf>[0]

/** Call this before the operation, so that the log has the entry even if the process crashes. */
export async function recordOperation(
  db: QueryExecutorProvider,
  asked: Asked,
  { kind, details }: Operation,
): Promise<void> {
  const { accountId, subject = null } = asked.principal
  const { clientAddress, requestId } = auditOriginOf(asked)
  await sql`
    insert into operator_event (id, kind, account_id, subject, client_address, request_id, details)
    values (${uuidv7()}, ${kind}, ${accountId}, ${subject}, ${clientAddress}, ${requestId},
      ${JSON.stringify(details)}::jsonb)`.execute(db)
}

type Row = Omit<OperatorEvent, 'at'> & { at: Date; placedAt: string }

const position = z.object({ placedAt: positionParts.microseconds, id: positionParts.id })

export async function readOperations(
  db: QueryExecutorProvider,
  { cursor, limit }: { cursor?: string | undefined; limit: number },
): Promise<{ events: OperatorEvent[]; nextCursor: string | null }> {
  const cursors = await listCursor(db, { reader: 'operators', list: 'operator events' }, position)
  const last = cursors.decode(cursor)
  const isNext = last ? sql`(at, id) < (${last.placedAt}::timestamptz, ${last.id}::uuid)` : sql`true`
  const { rows } = await sql<Row>`
    select *, to_char(at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as placed_at
    from operator_event where ${isNext} order by operator_event.at desc, id desc limit ${limit + 1}`.execute(db)
  const { page, nextCursor } = toPage(cursors, rows, limit)
  return { events: page.map(({ placedAt: _, at, ...row }) => ({ ...row, at: at.toISOString() })), nextCursor }
}
