import { claimDeliveries } from '@tideport/webhooks/src/delivery/claim-deliveries.ts'
import { msUntilReady } from '@tideport/webhooks/src/delivery/ready-webhooks.ts'
import type { WebhooksDb } from '@tideport/webhooks/src/tables.ts'
import { type Kysely, sql } from 'kysely'
import { compare, print, timed, type Variant } from '../measure.ts'
import { startDatabase } from '../start-database.ts'
import { findByWalking } from './claim-by-walking.ts'
import { seedDeliveries } from './seed-deliveries.ts'

const WEBHOOKS = 1000
const PENDING_EACH = 100
const ROUNDS = 15
const LIMIT = 128
const owner = {
  schema: 'webhooks',
  migrations: new URL('../../../services/webhooks/migrations/', import.meta.url),
} as const

/**
 * What a claim costs with a thousand webhooks that have a hundred deliveries each: all held up by open circuits or full
 * slots, then one of them ready, then all. Finding the webhooks as it was done before is beside it.
 */
export async function benchClaims(): Promise<void> {
  await using database = await startDatabase<WebhooksDb>(owner)
  const { db } = database
  const url = () => 'https://example.com/'
  const seed = {
    webhooks: WEBHOOKS,
    webhooksPerAccount: 10,
    pendingEach: PENDING_EACH,
    url,
    secretEncrypted: () => '-',
  }
  const [first = ''] = await seedDeliveries(db, seed)
  await sql`update webhook set circuit_open_until = now() + interval '1 hour'`.execute(db)
  while (((await msUntilReady(db)) ?? 1) === 0) await claimDeliveries(db, { limit: WEBHOOKS, claimSeconds: 3600 })

  const walk: Variant = { name: 'walking along what is pending', run: () => timed(() => findByWalking(db, LIMIT)) }
  const look: Variant = { name: 'asking which webhook is ready', run: () => timed(() => msUntilReady(db)) }
  print('1,000 webhooks, none ready: to find out', 'ms', await compare([walk, look], ROUNDS))

  const claim: Variant = { name: 'a claim, with all that it writes', run: () => claimAndUndo(db) }
  await sql`update webhook set circuit_open_until = null, held_until = null where id = ${first}`.execute(db)
  print('one ready: to find it', 'ms', await compare([walk, look, claim], ROUNDS))

  await sql`update webhook set circuit_open_until = null, held_until = null, next_due_at = now()`.execute(db)
  print(`all ready: to find ${LIMIT}`, 'ms', await compare([walk, look, claim], ROUNDS))
}

async function claimAndUndo(db: Kysely<WebhooksDb>): Promise<number> {
  const ms = await timed(() => claimDeliveries(db, { limit: LIMIT, claimSeconds: 3600 }))
  await sql`update delivery set attempts = 0, claimed_until = null, claimed_at = null where claimed_until is not null`.execute(
    db,
  )
  await sql`delete from attempt`.execute(db)
  await sql`update webhook set held_until = null, next_due_at = now() where circuit_open_until is null`.execute(db)
  for (const table of ['webhook', 'delivery', 'attempt']) await sql`vacuum ${sql.table(table)}`.execute(db)
  return ms
}
