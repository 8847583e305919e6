import { readFile } from 'node:fs/promises'
import { setTimeout as delay } from 'node:timers/promises'
import { type JetStreamClient, jetstream } from '@nats-io/jetstream'
import { connect, credsAuthenticator, type NatsConnection, type NodeConnectionOptions } from '@nats-io/transport-node'
import type { ConsumerDefinition } from '@tideport/contracts/internal/streams'
import { unavailable } from '../process/app-error.ts'
import type { Log } from '../telemetry/logger.ts'
import type { Metrics } from '../telemetry/metrics.ts'
import { provisionStreams, type StreamLimits } from './provision-streams.ts'

const RETRY_MS = 500
const PING_MS = 5000
const MISSED_PINGS = 2
const CLOSE_MS = 2000
const OLDEST_VERSION = [2, 10] as const

/** A process's connection to NATS, which may be down at any time and reconnects automatically. */
export interface NatsLink extends AsyncDisposable {
  /** The connection while it is up, otherwise null. */
  connection(): NatsConnection | null
  /** Waits until the connection is up. Rejects when `signal` aborts or the link is disposed. */
  connected(signal: AbortSignal): Promise<NatsConnection>
  /** Throws `AppError('unavailable')` while the connection is down. Never queues: messages could be stale later. */
  jetstream(): JetStreamClient
  /** Creates missing streams and consumers within the limits. Throws when one cannot be created. */
  provision(signal: AbortSignal): Promise<void>
  /** Calls `listener` on each future connect and reconnect, and immediately if the connection is up. */
  onConnect(listener: () => void): void
}

export interface NatsOptions extends StreamLimits {
  /** Addresses may contain a user and password, or a token. */
  natsUrl: readonly string[]
  /** Path of a credentials file; read again for each new connection. */
  natsCreds?: string | undefined
  /** Consumers in addition to those of the contracts, e.g. the queues of each network. */
  consumers?: readonly ConsumerDefinition[]
  /** Shown in the server's list of connections, and part of the subjects on which replies arrive. */
  name: string
  log: Log
  /** Shows whether the process is connected, and how often it reconnected. */
  metrics?: Metrics
}

/** Starts connecting and returns immediately. Retries forever if the broker is down, too old, or rejects it. */
export function connectNats(options: NatsOptions): NatsLink {
  const stop = new AbortController()
  const listeners = new Set<() => void>()
  let up: { connection: NatsConnection; client: JetStreamClient } | null = null

  const setUp = (connection: NatsConnection | null) => {
    up = connection === null ? null : { connection, client: jetstream(connection) }
    if (up !== null) for (const listener of [...listeners]) listener()
  }
  const finished = keepConnected(options, stop.signal, setUp)

  const link: NatsLink = {
    connection: () => up?.connection ?? null,
    async connected(signal) {
      const ending = AbortSignal.any([signal, stop.signal])
      if (up !== null) return up.connection
      const { promise, resolve, reject } = Promise.withResolvers<void>()
      const fail = () => reject(ending.reason)
      listeners.add(resolve)
      ending.addEventListener('abort', fail, { once: true })
      if (ending.aborted) fail()
      try {
        await promise
      } finally {
        listeners.delete(resolve)
        ending.removeEventListener('abort', fail)
      }
      return await this.connected(signal)
    },
    jetstream() {
      if (up === null) throw unavailable('The message broker is temporarily unavailable')
      return up.client
    },
    async provision(signal) {
      await provisionStreams(await this.connected(signal), options)
    },
    onConnect(listener) {
      listeners.add(listener)
      if (up !== null) listener()
    },
    async [Symbol.asyncDispose]() {
      stop.abort()
      await finished
    },
  }
  if (options.metrics) observeLink(link, options.metrics)
  return link
}

async function keepConnected(
  options: NatsOptions,
  signal: AbortSignal,
  setUp: (connection: NatsConnection | null) => void,
): Promise<void> {
  const { log } = options
  let isReported = false
  while (!signal.aborted) {
    try {
      const connection = await open(options)
      isReported = false
      log.info({ server: connection.info?.version }, 'broker connected')
      const close = () => void closeWithin(connection)
      signal.addEventListener('abort', close, { once: true })
      if (signal.aborted) close()
      else setUp(connection)
      await followStatus(connection, log, setUp)
      signal.removeEventListener('abort', close)
    } catch (error) {
      if (!isReported) log.warn({ err: error }, 'broker cannot be reached, retrying')
      isReported = true
    }
    setUp(null)
    await delay(RETRY_MS, undefined, { signal }).catch(() => {})
  }
}

async function open({ natsUrl, natsCreds, name }: NatsOptions): Promise<NatsConnection> {
  const connection = await connect({
    ...serverAddresses(natsUrl),
    name,
    // A separate prefix, so that NATS permissions can prevent a user from reading replies to other processes.
    inboxPrefix: `_INBOX.${name}`,
    maxReconnectAttempts: -1,
    reconnectTimeWait: RETRY_MS,
    ignoreAuthErrorAbort: true,
    pingInterval: PING_MS,
    maxPingOut: MISSED_PINGS,
    // Otherwise, each request creates two errors in advance, whose stacks cost as much as the request.
    noAsyncTraces: true,
    ...(natsCreds === undefined ? {} : { authenticator: credsAuthenticator(await readFile(natsCreds)) }),
  })
  const version = connection.info?.version ?? ''
  if (isNewEnough(version)) return connection
  await connection.close()
  throw new Error(`nats-server ${version} is too old: ${OLDEST_VERSION.join('.')} or newer is required`)
}

/** Returns when the connection is closed permanently. */
async function followStatus(
  connection: NatsConnection,
  log: Log,
  setUp: (connection: NatsConnection | null) => void,
): Promise<void> {
  for await (const status of connection.status()) {
    if (status.type === 'disconnect') {
      setUp(null)
      log.warn('broker connection lost')
    } else if (status.type === 'reconnect') {
      log.info('broker reconnected')
      setUp(connection)
    } else if (status.type === 'error') {
      log.warn({ err: status.error }, 'broker reported an error')
    }
  }
  await connection.closed()
}

/** Sends buffered messages, but does not wait for an unreachable broker. */
async function closeWithin(connection: NatsConnection): Promise<void> {
  await Promise.race([connection.drain(), delay(CLOSE_MS, undefined, { ref: false })]).catch(() => {})
  await connection.close()
}

function isNewEnough(version: string): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  return major > OLDEST_VERSION[0] || (major === OLDEST_VERSION[0] && minor >= OLDEST_VERSION[1])
}

function observeLink(link: NatsLink, metrics: Metrics): void {
  metrics.show('tideport_nats_connected', '1 if this process is connected to NATS', () =>
    link.connection() === null ? 0 : 1,
  )
  const reconnects = metrics.counter({
    name: 'tideport_nats_reconnects_total',
    help: 'Reconnections to NATS',
  })
  let isFirst = true
  link.onConnect(() => {
    if (!isFirst) reconnects.inc()
    isFirst = false
  })
}

/**
 * Extracts the credentials, because nats.js ignores credentials in addresses: `nats://user:password@host` or
 * `nats://token@host`; the first ones count. Without `tls`, nats.js accepts what the server offers, even no TLS.
 */
function serverAddresses(urls: readonly string[]): NodeConnectionOptions {
  const parsed = urls.map((url) => new URL(url))
  const servers = parsed.map(({ protocol, host }) => `${protocol}//${host}`)
  const demanded = parsed.some(({ protocol }) => protocol === 'tls:') ? { servers, tls: {} } : { servers }
  const named = parsed.find(({ username }) => username !== '')
  if (named === undefined) return demanded
  const [user, pass] = [decodeURIComponent(named.username), decodeURIComponent(named.password)]
  return pass === '' ? { ...demanded, token: user } : { ...demanded, user, pass }
}
