import { randomBytes } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { createAddressGuard, loopbackNetworks } from '@tideport/service-kit/outgoing/address-guard'
import { createNames } from '@tideport/service-kit/outgoing/names'
import { createSecretBox } from '@tideport/service-kit/secrets/secret-box'
import { createLogger } from '@tideport/service-kit/telemetry/logger'
import { startDnsServer } from '@tideport/testing/dns-server'
import { startReceiver } from '@tideport/testing/receiver'
import { type DeliveryLoopOptions, startDelivering } from '@tideport/webhooks/src/delivery/delivery-loop.ts'
import { createOutgoing } from '@tideport/webhooks/src/outgoing/outgoing.ts'
import { secretOwner } from '@tideport/webhooks/src/secrets/secret-owner.ts'
import type { WebhooksDb } from '@tideport/webhooks/src/tables.ts'
import { sql } from 'kysely'
import { startDatabase } from '../start-database.ts'
import { seedDeliveries } from './seed-deliveries.ts'

const HEALTHY = 20
const EACH = 100
const REST_SECONDS = 10
const owner = {
  schema: 'webhooks',
  migrations: new URL('../../../services/webhooks/migrations/', import.meta.url),
} as const

/**
 * Deliveries to twenty healthy receivers, alone and beside a hundred names that never answer; then a process at rest.
 */
export async function benchDeadNames(): Promise<void> {
  console.log(`\n${HEALTHY * EACH} deliveries to ${HEALTHY} healthy receivers`)
  for (const dead of [0, 100, 0, 100]) {
    const seconds = await deliverBeside(dead)
    console.log(
      `  beside ${String(dead).padStart(3)} dead names ${((HEALTHY * EACH) / seconds).toFixed(0).padStart(10)} deliveries/s`,
    )
  }
}

async function deliverBeside(dead: number): Promise<number> {
  await using stack = new AsyncDisposableStack()
  const { db } = stack.use(await startDatabase<WebhooksDb>(owner))
  const receiver = stack.use(await startReceiver())
  const dns = stack.use(await startDnsServer(({ name, type }) => (type === 'NS' ? [] : name.startsWith('dead') ? 'silent' : ['127.0.0.1']))) // biome-ignore format: one rule
  const box = createSecretBox([randomBytes(32)])
  const secretEncrypted = (webhook: Parameters<typeof secretOwner>[0]) =>
    box.seal('whsec_c2VjcmV0', secretOwner(webhook))
  const seed = { webhooksPerAccount: 10, pendingEach: EACH, secretEncrypted }
  if (dead > 0) await seedDeliveries(db, { ...seed, webhooks: dead, url: (index) => `http://dead-${index}.test/` })
  const healthyUrl = (index: number) => `http://healthy-${index}.test:${receiver.port}/`
  await seedDeliveries(db, { ...seed, webhooks: HEALTHY, url: healthyUrl })
  const names = createNames({ servers: [dns.address], hosts: new Map(), onOutcome: () => {} })
  const allows = createAddressGuard(loopbackNetworks)
  const outgoing = stack.use(createOutgoing({ timeoutMs: 15_000, allows, resolve: names.resolve }))
  const log = createLogger({ service: 'bench', level: 'silent' })
  const stop = new AbortController()
  const options: DeliveryLoopOptions = {
    concurrency: 128,
    timeoutSeconds: 15,
    graceSeconds: 0,
    names,
    signal: stop.signal,
  }
  const startedAt = performance.now()
  const metrics = { observeAttempt: () => {} }
  stack.use(startDelivering({ db, outgoing, secretBox: box, retryScale: 1, metrics, log }, options))
  stack.defer(() => stop.abort())
  while (receiver.requests.length < HEALTHY * EACH) await delay(5)
  const seconds = (performance.now() - startedAt) / 1000
  if (dead === 0) await tellRest(db)
  return seconds
}

/** Transactions of a process that has nothing to send; the two that count are left out. */
async function tellRest(db: Awaited<ReturnType<typeof startDatabase<WebhooksDb>>>['db']): Promise<void> {
  // Connections tell what they have done when they have rested for ten seconds.
  await delay(12_000)
  const count = async () => (await sql<{ n: number }>`select pg_stat_clear_snapshot(), xact_commit as n from pg_stat_database where datname = current_database()`.execute(db)).rows[0]?.n ?? 0 // biome-ignore format: one statement
  const before = await count()
  await delay(REST_SECONDS * 1000)
  console.log(`  at rest ${(((await count()) - before - 2) / REST_SECONDS).toFixed(1)} statements/s`)
}
