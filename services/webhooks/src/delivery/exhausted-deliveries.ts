import { type ListCursor, listCursor, positionParts } from '@tideport/service-kit/http/list-cursor'
import { type Kysely, sql } from 'kysely'
import { z } from 'zod'
import { skippedError } from '../subscriptions/void-pending.ts'
import type { DeliveryRow, WebhooksDb } from '../tables.ts'

const ROWS = 1000

const place = z.object({ doneAt: positionParts.time, id: positionParts.id, until: positionParts.time.nullable() })

/**
 * A walk continues after this delivery. It omits deliveries that failed permanently after `until`, the start of the
 * walk (null: now). Otherwise deliveries that are redelivered and fail immediately would appear repeatedly.
 */
export type ExhaustedPlace = z.infer<typeof place>

export const exhaustedCursor = (
  db: Kysely<WebhooksDb>,
  list: Record<string, unknown>,
): Promise<ListCursor<ExhaustedPlace>> => listCursor(db, { ...list, reader: 'operators' }, place)

export type Exhausted = Pick<
  DeliveryRow,
  'id' | 'webhookId' | 'event' | 'attempts' | 'statusCode' | 'error' | 'createdAt'
> & { doneAt: Date; accountId: string; isActive: boolean }

/** A delivery at the time of the query, dead-lettered or not. */
export type DeliverySeen = Omit<Exhausted, 'doneAt'> & { doneAt: Date | null; isExhausted: boolean }

interface Look {
  olderThanSeconds?: number | undefined
  after: ExhaustedPlace | null
  limit: number
}

/** The condition of the index `delivery_given_up`. */
const isGivenUp = sql`not success and not is_test and attempts > 0 and done_at is not null
  and error is distinct from ${sql.lit(skippedError)}`

const columns = sql`delivery.id, webhook_id, event, attempts, status_code, error, delivery.created_at, done_at,
  account_id, active as is_active`

/** Oldest failure first, without tests, skipped deliveries, and deleted webhooks. A null `end` means no more rows. */
export async function lookForExhausted(
  db: Kysely<WebhooksDb>,
  { olderThanSeconds = 0, after, limit }: Look,
): Promise<{ rows: Exhausted[]; end: ExhaustedPlace | null }> {
  const isNext = after ? sql`(done_at, id) > (${after.doneAt}, ${after.id}::uuid)` : sql`true`
  const { rows } = await sql<Exhausted & { until: Date; isDeleted: boolean }>`
    with walk as materialized (select coalesce(${after?.until ?? null}::timestamptz, now()) as until)
    select ${columns}, until, webhook.deleted_at is not null as is_deleted
    from (
      select delivery.*, until from walk, delivery
      where ${isGivenUp} and ${isNext} and done_at <= (select until from walk) - make_interval(secs => ${olderThanSeconds})
      order by done_at, id limit ${limit}) as delivery
    join webhook on webhook.id = webhook_id
    order by done_at, delivery.id`.execute(db)
  const last = rows.length === limit ? rows.at(-1) : undefined
  return {
    rows: rows.flatMap(({ until: _, isDeleted, ...delivery }) => (isDeleted ? [] : [delivery])),
    end: last ? { doneAt: last.doneAt, id: last.id, until: last.until } : null,
  }
}

export async function* exhaustedDeliveries(
  db: Kysely<WebhooksDb>,
  olderThanSeconds: number,
  after: ExhaustedPlace | null = null,
): AsyncGenerator<Exhausted> {
  let last = after
  do {
    const { rows, end } = await lookForExhausted(db, { olderThanSeconds, after: last, limit: ROWS })
    yield* rows
    last = end
  } while (last !== null)
}

export async function findDeliveries(db: Kysely<WebhooksDb>, ids: readonly string[]): Promise<DeliverySeen[]> {
  const { rows } = await sql<DeliverySeen>`
    select ${columns}, (${isGivenUp}) as is_exhausted
    from delivery join webhook on webhook.id = webhook_id
    where delivery.id = any(${ids}::uuid[]) and webhook.deleted_at is null order by delivery.id`.execute(db)
  return rows
}
