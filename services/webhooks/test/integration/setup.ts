import { randomBytes } from 'node:crypto'
import type { Scope } from '@tideport/contracts/endpoint/scope'
import type { AnyEvent } from '@tideport/contracts/internal/messages'
import { principalHeader } from '@tideport/contracts/internal/principal'
import type { EventType } from '@tideport/contracts/public/webhook-payload'
import { newTrace } from '@tideport/service-kit/context/trace-context'
import { createHttpServer } from '@tideport/service-kit/http/http-server'
import { createAddressGuard, loopbackNetworks } from '@tideport/service-kit/outgoing/address-guard'
import { createDnsResolver, type NameOutcome } from '@tideport/service-kit/outgoing/dns-resolver'
import type { Resolve } from '@tideport/service-kit/outgoing/guarded-connector'
import { createSecretBox } from '@tideport/service-kit/secrets/secret-box'
import { createLogger } from '@tideport/service-kit/telemetry/logger'
import { createMetrics } from '@tideport/service-kit/telemetry/metrics'
import { createTestDatabase } from '@tideport/testing/postgres'
import { createPrincipalKeys } from '@tideport/testing/principal-keys'
import { startReceiver } from '@tideport/testing/receiver'
import { v7 as newId } from 'uuid'
import { routes } from '../../src/app.ts'
import { claimDeliveries } from '../../src/delivery/claim-deliveries.ts'
import { startDelivering } from '../../src/delivery/delivery-loop.ts'
import { createDeliveryMetrics } from '../../src/delivery/delivery-metrics.ts'
import { fanOut } from '../../src/delivery/fan-out.ts'
import type { EndedAttempt } from '../../src/delivery/ready-webhooks.ts'
import { samplePayload } from '../../src/delivery/sample-payload.ts'
import { openWaitingReaders } from '../../src/feed/waiting-readers.ts'
import { createOutgoing } from '../../src/outgoing/outgoing.ts'
import type { WebhooksDb } from '../../src/tables.ts'

export const migrations = new URL('../../migrations/', import.meta.url)

export interface SetupOptions {
  /** Number of replicas that send deliveries. Default: none. */
  replicas?: number
  /** The default is longer than any pause of a busy machine. */
  timeoutSeconds?: number
  retryScale?: number
  /** HTTPS only, and no loopback unless it is allowed. */
  isProduction?: boolean
  /** Non-public networks that webhooks may be sent to. Default: loopback, or none in production. */
  allowedNetworks?: readonly string[]
  resolve?: Resolve
  /** DNS servers for lookups. */
  dnsServers?: readonly string[]
  /** Concurrent deliveries of one replica. */
  concurrency?: number
  secretOverlapSeconds?: number
  /** Database connections. */
  poolSize?: number
  /** Values of WEBHOOK_SECRET_KEYS. */
  secretKeys?: readonly Buffer[]
}

// biome-ignore lint/suspicious/noExplicitAny: tests inspect responses of any shape
type Json = any

/** The service's parts in this process, with their own database and a receiver. */
export async function setup(options: SetupOptions = {}) {
  const { replicas = 0, timeoutSeconds = 120, retryScale = 0, isProduction = false, poolSize = 10 } = options
  const { allowedNetworks = isProduction ? [] : loopbackNetworks, secretOverlapSeconds = 86_400 } = options
  const lookUps: NameOutcome[] = []
  const names = createDnsResolver({
    servers: options.dnsServers ?? [],
    hosts: new Map(),
    onOutcome: (outcome) => void lookUps.push(outcome),
  })
  const { resolve = names.resolve, concurrency = 64 } = options
  const allows = createAddressGuard(allowedNetworks)
  await using starting = new AsyncDisposableStack()
  const database = starting.use(await createTestDatabase({ schema: 'webhooks', migrations }))
  const receiver = starting.use(await startReceiver())
  const lines: string[] = []
  const log = createLogger({ service: 'test', level: 'info', destination: { write: (line) => void lines.push(line) } })
  const db = starting.use(database.open<WebhooksDb>({ log, poolSize }))
  const stop = new AbortController()
  const signal = stop.signal
  const metrics = createMetrics('webhooks')
  const deps = {
    db,
    outgoing: starting.use(createOutgoing({ timeoutMs: timeoutSeconds * 1000, allows, resolve })),
    secretBox: createSecretBox(options.secretKeys ?? [randomBytes(32)]),
    retryScale,
    metrics: createDeliveryMetrics(metrics, db),
    urlRules: { isDevelopment: !isProduction, allows },
    timeoutSeconds,
    secretOverlapSeconds,
    log,
  }
  const loops = Array.from({ length: replicas }, () =>
    starting.use(startDelivering(deps, { concurrency, timeoutSeconds, graceSeconds: 0, names, signal })),
  )
  const wake = (ended?: EndedAttempt) => {
    for (const loop of loops) loop.wake(ended)
  }
  const readers = starting.use(openWaitingReaders(db, { signal, log }))
  const { sign, verifierFor } = createPrincipalKeys()
  const app = starting.use(
    createHttpServer({
      routes: routes({ ...deps, readers, onDue: () => wake(), onEnded: wake }),
      verifyPrincipal: verifierFor('webhooks'),
      log,
      metrics: createMetrics('http'),
      postgresWaitMs: 60_000,
      signal,
    }),
  )
  const onDeliveries = () => {
    wake()
    readers.wake()
  }
  const receive = fanOut({ db, onDeliveries })
  starting.defer(() => stop.abort())

  async function call(account: Account, method: 'GET' | 'POST' | 'PATCH' | 'DELETE', path: string, body?: unknown) {
    const token = await sign({ kind: 'account', method: 'api_key', ...account }, 'webhooks')
    const headers = { [principalHeader]: token, 'content-type': 'application/json' }
    const payload = body === undefined ? '' : JSON.stringify(body)
    const answer = await app.inject({ method, url: path, headers, payload })
    const cost = answer.headers['x-tideport-cost']
    return { status: answer.statusCode, cost, body: answer.json() as Json }
  }

  const stack = starting.move()
  return {
    ...deps,
    database,
    receiver,
    lines,
    /** Outcomes of all DNS lookups so far. */
    lookUps: lookUps as readonly NameOutcome[],
    renderMetrics: async () => (await metrics.render()).text,
    call,
    wake,
    /** Fans events out as if their messages had arrived together. */
    receive: (...events: AnyEvent[]) => receive(events.map((data) => ({ data, trace: newTrace() }))),
    /** Creates a webhook on the receiver, by default of a new account. Includes its secret. */
    async webhook(wanted: { account?: Account; url?: string; events?: EventType[] } = {}) {
      const { account = newAccount(), url = receiver.url, events = ['file.hot'] } = wanted
      const { body } = await call(account, 'POST', '/api/webhooks', { url, events })
      const path = `/api/webhooks/${body.id}`
      return { ...(body as { id: string; secret: string; url: string }), account, path }
    },
    async startOver() {
      await database.sql('delete from webhook; delete from audit_outbox; delete from operator_event')
      receiver.startOver()
      for (const list of [lines, lookUps]) list.length = 0
    },
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  }
}

export type Setup = Awaited<ReturnType<typeof setup>>
export type Hook = Awaited<ReturnType<Setup['webhook']>>

/** Claims up to `limit` deliveries for `claimSeconds`, as a sender does. */
export const claim = async ({ db }: Pick<Setup, 'db'>, limit = 100, claimSeconds = 600) =>
  (await claimDeliveries(db, { limit, claimSeconds })).deliveries

/** Fans out `count` events of the webhook's account and returns their IDs. */
export async function sendMany(t: Pick<Setup, 'receive'>, { account }: Hook, count: number): Promise<string[]> {
  const events = Array.from({ length: count }, () => fileEvent(account))
  await Promise.all(events.map((event) => t.receive(event)))
  return events.map(({ eventId }) => eventId)
}

export interface Account {
  accountId: string
  scopes: Scope[] | null
}

export function newAccount(scopes: Scope[] | null = null): Account {
  return { accountId: newId(), scopes }
}

/** An event of the current time by default. The machine's clock is also the database's. */
export function fileEvent({ accountId }: Account, event: EventType = 'file.hot', at = new Date()): AnyEvent {
  return { eventId: newId(), accountId, payload: samplePayload(event, at) }
}
