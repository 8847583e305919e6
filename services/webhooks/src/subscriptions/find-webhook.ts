import { notFound } from '@tideport/service-kit/process/app-error'
import type { Kysely, Transaction } from 'kysely'
import type { WebhookRow, WebhooksDb } from '../tables.ts'

export interface WebhookOwner {
  webhookId: string
  accountId: string
}

/** Throws `not_found` for what does not exist, is being deleted or belongs to another account: all the same. */
export async function findWebhook(db: Kysely<WebhooksDb>, { webhookId, accountId }: WebhookOwner): Promise<WebhookRow> {
  const row = await db
    .selectFrom('webhook')
    .selectAll()
    .where('id', '=', webhookId)
    .where('accountId', '=', accountId)
    .where('deletedAt', 'is', null)
    .executeTakeFirst()
  if (row === undefined) throw notFound()
  return row
}

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
