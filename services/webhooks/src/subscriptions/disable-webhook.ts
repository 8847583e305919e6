import { type Kysely, sql } from 'kysely'
import { recordAuditEntry } from '../audit/record-audit-entry.ts'
import type { WebhooksDb } from '../tables.ts'
import { voidsPending } from './void-pending.ts'

const actor = { method: 'system', keyId: null, keyPrefix: null, subject: null } as const

/**
 * Disables a webhook. Its owner can read the reason, also in the audit log, and enable it again with `active: true`.
 */
export async function disableWebhook(db: Kysely<WebhooksDb>, webhookId: string, reason: string): Promise<void> {
  await db.transaction().execute(async (trx) => {
    const row = await trx
      .updateTable('webhook')
      .set({ active: false, disabledReason: reason, ...voidsPending, updatedAt: sql`now()` })
      .where('id', '=', webhookId)
      .where('active', '=', true)
      .where('deletedAt', 'is', null)
      .returningAll()
      .executeTakeFirst()
    if (row === undefined) return
    await recordAuditEntry(trx, { kind: 'webhook.disabled', reason }, row, {
      actor,
      clientAddress: null,
      requestId: null,
    })
  })
}
