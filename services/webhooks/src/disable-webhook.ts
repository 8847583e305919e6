import type { Kysely } from 'kysely'
import { sql } from 'kysely'
import { skipPending } from './skip-pending.ts'
import type { WebhooksDb } from './tables.ts'

/** Switches a webhook off for a reason its owner can read. `active: true` switches it on again. */
export async function disableWebhook(db: Kysely<WebhooksDb>, webhookId: string, reason: string): Promise<void> {
  await db.transaction().execute(async (trx) => {
    await trx
      .updateTable('webhook')
      .set({ active: false, disabledReason: reason, updatedAt: sql`now()` })
      .where('id', '=', webhookId)
      .where('active', '=', true)
      .execute()
    await skipPending(trx, webhookId)
  })
}
