import { notFound } from '@tideport/service-kit/process/app-error'
import type { Kysely } from 'kysely'
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
