import { notFound } from '@tideport/service-kit/process/app-error'
import type { Kysely } from 'kysely'
import type { WebhookOwner } from '../subscriptions/find-webhook.ts'
import type { DeliveryRow, WebhooksDb } from '../tables.ts'

/** Throws `not_found` unless the delivery belongs to this webhook and the webhook to this account. */
export async function findDelivery(
  db: Kysely<WebhooksDb>,
  { webhookId, accountId, deliveryId }: WebhookOwner & { deliveryId: string },
): Promise<DeliveryRow> {
  const row = await db
    .selectFrom('delivery')
    .innerJoin('webhook', 'webhook.id', 'delivery.webhookId')
    .selectAll('delivery')
    .where('delivery.id', '=', deliveryId)
    .where('webhook.id', '=', webhookId)
    .where('webhook.accountId', '=', accountId)
    .where('webhook.deletedAt', 'is', null)
    .executeTakeFirst()
  if (row === undefined) throw notFound()
  return row
}
