import { type Kysely, sql } from 'kysely'
import { skippedError } from '../subscriptions/void-pending.ts'
import type { DeliveryRow, WebhooksDb } from '../tables.ts'

/** Deliveries looked through in one statement. */
const ROWS = 2000
const NIL_UUID = '00000000-0000-0000-0000-000000000000'

export interface DeliveryPlace {
  createdAt: Date | '-infinity'
  id: string
}

export type Exhausted = Pick<
  DeliveryRow,
  'id' | 'webhookId' | 'event' | 'attempts' | 'statusCode' | 'error' | 'createdAt' | 'doneAt'
> & { accountId: string; isActive: boolean }

/**
 * Deliveries that failed until their schedule was over, oldest first. The log is walked by its age, which has an index;
 * what failed has none (docs/adr/0025). Tests, and what was skipped because its webhook was switched off, are none of
 * them.
 */
export async function* exhaustedDeliveries(
  db: Kysely<WebhooksDb>,
  olderThanSeconds: number,
  after: DeliveryPlace = { createdAt: '-infinity', id: NIL_UUID },
): AsyncGenerator<Exhausted> {
  let last: DeliveryPlace | undefined = after
  while (last !== undefined) {
    const rows = await lookThrough(db, olderThanSeconds, last)
    for (const { isExhausted, isEnd: _, ...delivery } of rows) if (isExhausted) yield delivery
    last = rows.find(({ isEnd }) => isEnd)
  }
}

interface Looked extends Exhausted {
  isExhausted: boolean
  /** The last of as many as one statement looks at: there may be more behind it. */
  isEnd: boolean
}

async function lookThrough(db: Kysely<WebhooksDb>, olderThanSeconds: number, after: DeliveryPlace): Promise<Looked[]> {
  const { rows } = await sql<Looked>`
    select delivery.*, account_id, active as is_active, webhook.deleted_at is null and has_failed as is_exhausted
    from (
      select id, webhook_id, event, attempts, status_code, error, created_at, done_at,
        row_number() over (order by created_at, id) = ${sql.lit(ROWS)} as is_end,
        not success and not is_test and attempts > 0 and error is distinct from ${skippedError}
          and coalesce(done_at <= now() - make_interval(secs => ${olderThanSeconds}), false) as has_failed
      from (
        select * from delivery where (created_at, id) > (${after.createdAt}::timestamptz, ${after.id}::uuid)
        order by created_at, id limit ${sql.lit(ROWS)}) as delivery) as delivery
    join webhook on webhook.id = webhook_id
    where has_failed or is_end order by delivery.created_at, delivery.id`.execute(db)
  return rows
}
