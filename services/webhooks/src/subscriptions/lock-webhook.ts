import { notFound } from '@tideport/service-kit/process/app-error'
import type { Transaction } from 'kysely'
import type { WebhookRow, WebhooksDb } from '../tables.ts'
import type { WebhookOwner } from './find-webhook.ts'

/** Like `findWebhook`; claims pass the webhook by, and changes and deletions wait, until the transaction ends. */
export async function lockWebhook(
  trx: Transaction<WebhooksDb>,
  { webhookId, accountId }: WebhookOwner,
): Promise<WebhookRow> {
  const row = await trx
    .selectFrom('webhook')
    .selectAll()
    .where('id', '=', webhookId)
    .where('accountId', '=', accountId)
    .where('deletedAt', 'is', null)
    .forNoKeyUpdate()
    .executeTakeFirst()
  if (row === undefined) throw notFound()
  return row
}
