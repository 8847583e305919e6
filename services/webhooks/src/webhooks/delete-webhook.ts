import { deleteWebhook } from '@tideport/contracts/public/webhooks'
import { auditOriginOf } from '@tideport/service-kit/http/audit-origin'
import { serve } from '@tideport/service-kit/http/route'
import { notFound } from '@tideport/service-kit/process/app-error'
import { sql, type Transaction } from 'kysely'
import { recordAuditEntry } from '../audit/record-audit-entry.ts'
import type { WebhooksDeps } from '../deps.ts'
import type { WebhookOwner } from '../subscriptions/find-webhook.ts'
import { untilQuiet } from '../subscriptions/until-quiet.ts'
import type { WebhookRow, WebhooksDb } from '../tables.ts'
import { toWebhook } from '../views.ts'

/** Nothing is sent to the webhook once this has answered. Its deliveries go later, in batches, and then its row. */
export function deleteWebhookRoute({ db }: WebhooksDeps) {
  return serve(deleteWebhook, async ({ params: { webhookId }, ...caller }) => {
    const { accountId } = caller.principal
    const row = await db.transaction().execute(async (trx) => {
      const deleted = await markDeleted(trx, { webhookId, accountId })
      await recordAuditEntry(trx, { kind: 'webhook.deleted' }, deleted, auditOriginOf(caller))
      return deleted
    })
    await untilQuiet(db, webhookId)
    return toWebhook(row)
  })
}

/** From here on it is invisible, counts no more and claims pass it by. */
async function markDeleted(db: Transaction<WebhooksDb>, { webhookId, accountId }: WebhookOwner): Promise<WebhookRow> {
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
