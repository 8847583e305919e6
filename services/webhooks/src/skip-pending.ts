import { sql, type Transaction } from 'kysely'
import type { WebhooksDb } from './tables.ts'

/**
 * Ends what a webhook still has to get, except what is under way. To be called with the webhook's row locked: when it
 * is switched off, and when it is switched on again, for what came in between.
 */
export async function skipPending(trx: Transaction<WebhooksDb>, webhookId: string): Promise<void> {
  await sql`
    update delivery set next_attempt_at = null, claimed_until = null, claimed_at = null, done_at = now(),
      is_redelivery = false, resume_at = null,
      error = coalesce(error, 'Skipped because the webhook was switched off')
    where webhook_id = ${webhookId} and next_attempt_at is not null
      and (claimed_until is null or claimed_until <= now())`.execute(trx)
}
