import type { Kysely } from 'kysely'
import { sql } from 'kysely'
import type { WebhooksDb } from '../tables.ts'
import { voidsPending } from './void-pending.ts'

/** Switches a webhook off for a reason its owner can read. `active: true` switches it on again. */
export async function disableWebhook(db: Kysely<WebhooksDb>, webhookId: string, reason: string): Promise<void> {
  await db
    .updateTable('webhook')
    .set({ active: false, disabledReason: reason, ...voidsPending, updatedAt: sql`now()` })
    .where('id', '=', webhookId)
    .where('active', '=', true)
    .execute()
}
