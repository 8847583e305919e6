import { deleteWebhook } from '@tideport/contracts/public/webhooks'
import { serve } from '@tideport/service-kit/http/route'
import { notFound } from '@tideport/service-kit/process/app-error'
import { type Kysely, sql } from 'kysely'
import type { WebhooksDeps } from '../deps.ts'
import type { WebhookOwner } from '../subscriptions/find-webhook.ts'
import { untilQuiet } from '../subscriptions/until-quiet.ts'
import type { WebhookRow, WebhooksDb } from '../tables.ts'
import { toWebhook } from '../views.ts'

/** Nothing is sent to the webhook once this has answered. Its deliveries go later, in batches, and then its row. */
export function deleteWebhookRoute({ db }: WebhooksDeps) {
  return serve(deleteWebhook, async ({ params: { webhookId }, principal: { accountId } }) => {
    const row = await markDeleted(db, { webhookId, accountId })
    await untilQuiet(db, webhookId)
    return toWebhook(row)
  })
}

/** From here on it is invisible, counts no more and claims pass it by. */
async function markDeleted(db: Kysely<WebhooksDb>, { webhookId, accountId }: WebhookOwner): Promise<WebhookRow> {
  const row = await db
    .updateTable('webhook')
    .set({ deletedAt: sql<Date>`now()`, voidedAt: sql<Date>`now()` })
    .where('id', '=', webhookId)
    .where('accountId', '=', accountId)
    .where('deletedAt', 'is', null)
    .returningAll()
    .executeTakeFirst()
  if (row === undefined) throw notFound()
  return row
}
