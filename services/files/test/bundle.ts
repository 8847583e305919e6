import { type AccountPrincipal, principalHeader } from '@tideport/contracts/internal/principal'
import { openNetworks, setUpNetworks } from '@tideport/file-lifecycle/copies/networks'
import { startRelay } from '@tideport/file-lifecycle/outbox/start-relay'
import { type FilesDb, migrations, schema } from '@tideport/file-lifecycle/state/tables'
import { batched } from '@tideport/file-lifecycle/state/writes'
import { networksEnvironment } from '@tideport/file-lifecycle/testing/networks-environment'
import { openJobQueue } from '@tideport/file-lifecycle/work/job-queue'
import { openHotTier } from '@tideport/hot-tier/hot-tier'
import { showStatistics } from '@tideport/repair/statistics/show-statistics'
import { createBatching } from '@tideport/service-kit/batching/batching'
import { loadConfig } from '@tideport/service-kit/config/config'
import { connectNats } from '@tideport/service-kit/nats/nats'
import { openDatabase } from '@tideport/service-kit/postgres/database'
import { createLogger } from '@tideport/service-kit/telemetry/logger'
import { createMetrics } from '@tideport/service-kit/telemetry/metrics'
import { createNetworkDirectory } from '@tideport/testing/network-directory'
import { createTestDatabase, longTimeouts } from '@tideport/testing/postgres'
import { createPrincipalKeys } from '@tideport/testing/principal-keys'
import { createBucket, s3Environment, type TestBucket } from '@tideport/testing/s3'
import { v7 as uuidv7 } from 'uuid'
import { afterAll, beforeAll } from 'vitest'
import { createApp } from '../src/app.ts'
import { settings } from '../src/config.ts'

const { publicKeys, sign, verifierFor } = createPrincipalKeys()

interface Options {
  env?: Record<string, string>
  s3?: TestBucket['settings']
  /** The port of a proxy to Postgres. Default: a direct connection. */
  viaPort?: number
  /**
   * How long a request waits for Postgres, in milliseconds. The default is longer than any pause of a busy machine.
   */
  postgresWaitMs?: number
  /** Default: nothing is logged. */
  logLevel?: string
  /** Names of embedded networks, each in a separate directory, instead of the single one. */
  networkNames?: readonly string[]
}

type LogLine = Record<string, unknown> & { level: string }

/** No server listens there: everything has to work without a broker, unless a test starts one. */
const DEAD_NATS = 'nats://127.0.0.1:9'

/** The complete service with real dependencies. Tests call it over HTTP, like the gateway. */
export async function setup(options: Options = {}) {
  const { postgresWaitMs = 60_000 } = options
  const stack = new AsyncDisposableStack()
  const stop = new AbortController()
  const database = stack.use(await createTestDatabase({ schema, migrations }))
  const directory = stack.use(await createNetworkDirectory())
  const networkSettings = async (names: readonly string[] = []): Promise<Record<string, string>> => {
    if (names.length === 0) return { EMBEDDED_NETWORK_DIR: directory.path }
    const networks: Record<string, { dir: string }> = {}
    for (const name of names) networks[name] = { dir: stack.use(await createNetworkDirectory()).path }
    return networksEnvironment(networks)
  }
  const s3 = options.s3 ?? stack.use(await createBucket()).settings
  const databaseUrl = new URL(database.url)
  if (options.viaPort !== undefined) databaseUrl.port = String(options.viaPort)
  const config = loadConfig(settings, {
    SERVICE_ENV: 'development',
    DATABASE_URL: databaseUrl.href,
    NATS_URL: DEAD_NATS,
    IDENTITY_TOKEN_PUBLIC_KEYS: publicKeys,
    ...s3Environment(s3),
    ...(await networkSettings(options.networkNames)),
    PUBLIC_URL: 'https://files.example/',
    DOWNLOAD_TOKEN_KEYS: Buffer.alloc(32, 7).toString('base64'),
    EXPORT_SECRET_KEYS: Buffer.alloc(32, 8).toString('base64'),
    ...options.env,
  })
  const lines: LogLine[] = []
  const destination = { write: (line: string) => void lines.push(JSON.parse(line) as LogLine) }
  const log = createLogger({ service: 'files', level: options.logLevel ?? 'silent', destination })
  const metrics = createMetrics('files')
  const { signal } = stop
  const limits = options.postgresWaitMs === undefined ? longTimeouts : {}
  const db = stack.use(openDatabase<FilesDb>({ ...config, ...limits, schema, name: 'files', log }))
  // Uses a separate pool, because a busy machine may exceed the time limits of the service's pool.
  await using patient = database.open<FilesDb>({ log, poolSize: 1 })
  await setUpNetworks(patient, config.storageNetworks, { acceptLostCopies: false })
  const networks = await openNetworks(config, db, metrics)
  const hotTier = stack.use(openHotTier(config))
  const nats = stack.use(connectNats({ ...config, name: 'files', log }))
  const jobs = openJobQueue({ nats, log, metrics })
  const relay = stack.use(startRelay({ db, nats, log, metrics, signal, pollSeconds: 0.25, eventLifeSeconds: 604_800 }))
  const batching = createBatching()
  const writes = batched(db, batching)
  const server = { verifyPrincipal: verifierFor('files'), log, metrics, signal, postgresWaitMs }
  const statistics = showStatistics(db, networks, { metrics, log, health: { tell: () => {} } })
  const parts = { config, db, batching, writes, hotTier, networks, jobs, relay, statistics }
  const app = stack.use(createApp({ ...parts, ...server }))
  const address = await app.listen({ host: '127.0.0.1', port: 0 })
  stack.defer(() => stop.abort())

  return {
    address,
    config,
    database,
    /** The pool of the service. */
    db,
    batching,
    writes,
    /** The directory of the single network, without `networkNames`. */
    directory,
    hotTier,
    jobs,
    /** The logged lines, from `logLevel` on. */
    lines,
    metrics,
    networks,
    nats,
    stop: () => stop.abort(),
    /** The header in which the gateway sends the caller. Without an account, the caller is the public. */
    principalHeaders: async (account?: string, rights: Partial<AccountPrincipal> = {}) => ({
      [principalHeader]: await sign(
        account === undefined
          ? { kind: 'public' }
          : { kind: 'account', accountId: account, method: 'api_key', scopes: null, ...rights },
        'files',
      ),
    }),
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  }
}

export type Bundle = Awaited<ReturnType<typeof setup>>

/** One bundle for all tests of the calling file or `describe`. Tests and hooks may read its properties. */
export function sharedBundle(options: Options = {}): Bundle {
  const t = {} as Bundle
  beforeAll(async () => void Object.assign(t, await setup(options)))
  afterAll(() => t[Symbol.asyncDispose]?.())
  return t
}

export const newAccount = () => uuidv7()
