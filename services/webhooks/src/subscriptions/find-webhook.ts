import { notFound } from '@tideport/service-kit/process/app-error'
import type { Kysely, Transaction } from 'kysely'
import type { WebhookRow, WebhooksDb } from '../tables.ts'

export interface WebhookOwner {
  webhookId: string
  accountId: string
}

/** Throws the same `not_found` if the webhook does not exist, is being deleted, or belongs to another account. */
export async function findWebhook(db: Kysely<WebhooksDb>, owner: WebhookOwner): Promise<WebhookRow> {
  return await ownWebhook(db, owner).executeTakeFirstOrThrow(() => notFound())
}

/** Like `findWebhook`. Until the transaction ends, claims skip the webhook, and changes and deletions wait. */
export async function lockWebhook(trx: Transaction<WebhooksDb>, owner: WebhookOwner): Promise<WebhookRow> {
  return await ownWebhook(trx, owner)
    .forNoKeyUpdate()
    .executeTakeFirstOrThrow(() => notFound())
}

function ownWebhook(db: Kysely<WebhooksDb>, { webhookId, accountId }: WebhookOwner) {
  return db
    .selectFrom('webhook')
    .selectAll()
    .where('id', '=', webhookId)
    .where('accountId', '=', accountId)
    .where('deletedAt', 'is', null)
}
