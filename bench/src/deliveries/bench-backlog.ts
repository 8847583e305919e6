import { clearVoided } from '@tideport/webhooks/src/subscriptions/clear-voided.ts'
import { disableWebhook } from '@tideport/webhooks/src/subscriptions/disable-webhook.ts'
import type { WebhooksDb } from '@tideport/webhooks/src/tables.ts'
import { sql } from 'kysely'
import { timed } from '../measure.ts'
import { startDatabase } from '../start-database.ts'
import { seedDeliveries } from './seed-deliveries.ts'

const PENDING = 200_000
const owner = {
  schema: 'webhooks',
  migrations: new URL('../../../services/webhooks/migrations/', import.meta.url),
} as const

/**
 * Switching off and deleting a webhook with 200,000 pending deliveries: the request's statement, and the periodic
 * task's work.
 */
export async function benchBacklog(): Promise<void> {
  await using database = await startDatabase<WebhooksDb>(owner)
  const { db } = database
  const url = () => 'https://example.com/'
  const seed = { webhooks: 1, webhooksPerAccount: 1, pendingEach: PENDING, url, secretEncrypted: () => '-' }
  const [id = ''] = await seedDeliveries(db, seed)
  console.log(`\na webhook with ${PENDING} pending deliveries`)
  const tell = (what: string, ms: number) => console.log(`  ${what.padEnd(44)} ${ms.toFixed(1).padStart(10)} ms`)
  tell('switched off', await timed(() => disableWebhook(db, id, 'bench')))
  tell('all of them ended by its periodic task', await timed(() => clearVoided(db)))
  tell('deleted', await timed(() => sql`update webhook set deleted_at = now(), voided_at = now()`.execute(db)))
  tell('all of them removed by its periodic task', await timed(() => clearVoided(db)))
}
