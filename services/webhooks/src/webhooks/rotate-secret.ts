import { rotateWebhookSecret } from '@tideport/contracts/public/webhooks'
import { auditOriginOf } from '@tideport/service-kit/http/audit-origin'
import { serve } from '@tideport/service-kit/http/route'
import { sql } from 'kysely'
import { recordAuditEntry } from '../audit/record-audit-entry.ts'
import type { WebhooksDeps } from '../deps.ts'
import { keepSecret } from '../secrets/previous-secrets.ts'
import { secretOwner } from '../secrets/secret-owner.ts'
import { newWebhookSecret } from '../secrets/webhook-secret.ts'
import { lockWebhook } from '../subscriptions/lock-webhook.ts'
import { toWebhook } from '../views.ts'

/** The new secret signs from now on, the old one beside it until the overlap ends. */
export function rotateSecretRoute({ db, secretBox, secretOverlapSeconds }: WebhooksDeps) {
  return serve(rotateWebhookSecret, async ({ params: { webhookId }, ...caller }) => {
    const { accountId } = caller.principal
    const secret = newWebhookSecret()
    const secretEncrypted = secretBox.seal(secret, secretOwner({ accountId, webhookId }))
    return await db.transaction().execute(async (trx) => {
      const before = await lockWebhook(trx, { webhookId, accountId })
      const validUntil = await keepSecret(trx, before, secretOverlapSeconds)
      const row = await trx
        .updateTable('webhook')
        .set({ secretEncrypted, updatedAt: sql<Date>`now()` })
        .where('id', '=', webhookId)
        .returningAll()
        .executeTakeFirstOrThrow()
      await recordAuditEntry(trx, { kind: 'webhook.secret_rotated' }, row, auditOriginOf(caller))
      return { ...toWebhook(row), secret, previousSecretValidUntil: validUntil.toISOString() }
    })
  })
}
