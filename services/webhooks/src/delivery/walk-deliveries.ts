import type { EventType } from '@tideport/contracts/public/webhook-payload'
import { type Kysely, sql } from 'kysely'
import type { Position } from '../subscriptions/position.ts'
import type { DeliveryRow, WebhooksDb } from '../tables.ts'

/** So many deliveries are looked through for one page at most (docs/adr/0025). */
export const ROWS_MAX = 2000

export interface DeliveryWalk {
  webhookId: string
  success?: boolean | undefined
  event?: EventType | undefined
  before: Position | null
  limit: number
}

/** Newest first, up to `limit`. If a page's rows were used up, `end` is the last delivery that was read. */
export async function walkDeliveries(
  db: Kysely<WebhooksDb>,
  { webhookId, success, event, before, limit }: DeliveryWalk,
): Promise<{ rows: DeliveryRow[]; end: Position | null }> {
  const isBefore = before === null ? sql`true` : sql`(created_at, id) < (${before.createdAt}, ${before.id})`
  const conditions = [
    ...(success === undefined ? [] : [sql`success = ${success}`]),
    ...(event === undefined ? [] : [sql`event = ${event}`]),
  ]
  const isWanted = conditions.length === 0 ? sql`true` : sql.join(conditions, sql` and `)
  const { rows } = await sql<DeliveryRow & { isWanted: boolean; isEnd: boolean }>`
    select * from (
      select *, (${isWanted}) as is_wanted,
        row_number() over (order by created_at desc, id desc) = ${sql.lit(ROWS_MAX)} as is_end
      from (
        select * from delivery where webhook_id = ${webhookId} and ${isBefore}
        order by created_at desc, id desc limit ${sql.lit(ROWS_MAX)}) as delivery) as delivery
    where is_wanted or is_end order by created_at desc, id desc limit ${limit}`.execute(db)
  return { rows: rows.filter((row) => row.isWanted), end: rows.find((row) => row.isEnd) ?? null }
}
