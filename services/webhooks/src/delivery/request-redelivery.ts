import type { RedrivenDelivery } from '@tideport/contracts/public/operator-webhooks'
import { AppError, notFound } from '@tideport/service-kit/process/app-error'
import { type Kysely, sql, type Transaction } from 'kysely'
import { lockWebhook, type WebhookOwner } from '../subscriptions/find-webhook.ts'
import { redeliverySpacingMs } from '../subscriptions/limits.ts'
import { isVoid } from '../subscriptions/void-pending.ts'
import type { DeliveryRow, WebhookRow, WebhooksDb } from '../tables.ts'
import type { DeliverySeen } from './exhausted-deliveries.ts'

/**
 * The schedule continues afterward. Throws `not_found`, and `state_conflict` for a disabled webhook or an attempt in
 * progress.
 */
export async function requestRedelivery(
  db: Kysely<WebhooksDb>,
  { deliveryId, ...owner }: WebhookOwner & { deliveryId: string },
): Promise<{ delivery: DeliveryRow; webhook: WebhookRow }> {
  return await db.transaction().execute(async (trx) => {
    const webhook = await lockWebhook(trx, owner)
    const delivery = await findDelivery(trx, { ...owner, deliveryId })
    if (!webhook.active) throw new AppError('state_conflict', 'The webhook is disabled. Enable it first.')
    const isPlanned = delivery.isRedelivery && !isVoid(delivery, webhook)
    return { delivery: isPlanned ? delivery : await planRedelivery(trx, delivery, webhook), webhook }
  })
}

/** Spaces redeliveries to avoid a flood. A schedule from before the webhook was disabled does not resume. */
async function planRedelivery(
  trx: Transaction<WebhooksDb>,
  { id }: DeliveryRow,
  { id: webhookId, activation }: WebhookRow,
): Promise<DeliveryRow> {
  const { rows } = await sql<DeliveryRow>`
    with turn as (
      select greatest(now(), redeliveries_until + make_interval(secs => ${redeliverySpacingMs / 1000})) as at
      from webhook where id = ${webhookId}
    ), noted as (
      update webhook set redeliveries_until = turn.at, next_due_at = least(next_due_at, turn.at)
      from turn where id = ${webhookId}
    )
    update delivery set is_redelivery = true, activation = ${activation},
      resume_at = case when activation = ${activation} then next_attempt_at end, next_attempt_at = turn.at, done_at = null
    from turn where id = ${id} and (claimed_until is null or claimed_until <= now())
    returning delivery.*`.execute(trx)
  const [row] = rows
  if (row === undefined)
    throw new AppError('state_conflict', 'An attempt is in progress. Try again when it has finished.')
  return row
}

/**
 * Plans one more attempt of a dead-lettered delivery, as its owner could. A dry run only returns the expected outcome.
 */
export async function redriveDelivery(
  db: Kysely<WebhooksDb>,
  { id: deliveryId, webhookId, accountId, isActive, isExhausted }: DeliverySeen,
  { isDryRun }: { isDryRun: boolean },
): Promise<RedrivenDelivery['outcome']> {
  if (!isExhausted) return 'not_given_up'
  if (!isActive) return 'switched_off'
  if (isDryRun) return 'would_be_tried'
  try {
    await requestRedelivery(db, { webhookId, accountId, deliveryId })
    return 'planned'
  } catch (error) {
    // Disabled or deleted in the meantime, or in progress.
    if (error instanceof AppError && (error.code === 'not_found' || error.code === 'state_conflict')) return 'changed'
    throw error
  }
}

/** Throws `not_found` unless the delivery belongs to this webhook and the webhook to this account. */
export async function findDelivery(
  db: Kysely<WebhooksDb>,
  { webhookId, accountId, deliveryId }: WebhookOwner & { deliveryId: string },
): Promise<DeliveryRow> {
  return await db
    .selectFrom('delivery')
    .innerJoin('webhook', 'webhook.id', 'delivery.webhookId')
    .selectAll('delivery')
    .where('delivery.id', '=', deliveryId)
    .where('webhook.id', '=', webhookId)
    .where('webhook.accountId', '=', accountId)
    .where('webhook.deletedAt', 'is', null)
    .executeTakeFirstOrThrow(() => notFound())
}
