import { createWebhook } from '@tideport/contracts/public/webhooks'
import { auditOriginOf } from '@tideport/service-kit/http/audit-origin'
import { serve } from '@tideport/service-kit/http/route'
import { AppError } from '@tideport/service-kit/process/app-error'
import { type Insertable, sql, type Transaction } from 'kysely'
import { v7 as newId } from 'uuid'
import { recordAuditEntry } from '../audit/record-audit-entry.ts'
import type { WebhooksDeps } from '../deps.ts'
import { assertWebhookUrl } from '../outgoing/webhook-url.ts'
import { newWebhookSecret, secretOwner } from '../secrets/webhook-secret.ts'
import { webhooksPerAccountMax } from '../subscriptions/limits.ts'
import type { WebhookRow, WebhooksDb } from '../tables.ts'
import { toWebhook } from '../views.ts'

export function createWebhookRoute({ db, secretBox, urlRules }: WebhooksDeps) {
  return serve(createWebhook, async ({ body: { url, events }, ...caller }) => {
    const { accountId } = caller.principal
    assertWebhookUrl(url, urlRules)
    const id = newId()
    const secret = newWebhookSecret()
    const secretEncrypted = secretBox.seal(secret, secretOwner({ accountId, webhookId: id }))
    const row = await db.transaction().execute(async (trx) => {
      await assertRoomForOneMore(trx, accountId)
      const made = await insertWebhook(trx, { id, accountId, url, events, secretEncrypted })
      await recordAuditEntry(trx, { kind: 'webhook.created' }, made, auditOriginOf(caller))
      return made
    })
    return { ...toWebhook(row), secret }
  })
}

/** Serializes creations of an account, so that two simultaneous ones cannot exceed the limit. */
async function assertRoomForOneMore(trx: Transaction<WebhooksDb>, accountId: string): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${`webhooks of ${accountId}`}, 0))`.execute(trx)
  const { count } = await trx
    .selectFrom('webhook')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('accountId', '=', accountId)
    .where('deletedAt', 'is', null)
    .executeTakeFirstOrThrow()
  if (count >= webhooksPerAccountMax) {
    throw new AppError('too_many_webhooks', `An account can have at most ${webhooksPerAccountMax} webhooks`)
  }
}

async function insertWebhook(
  trx: Transaction<WebhooksDb>,
  row: Insertable<WebhooksDb['webhook']>,
): Promise<WebhookRow> {
  return await trx.insertInto('webhook').values(row).returningAll().executeTakeFirstOrThrow()
}
