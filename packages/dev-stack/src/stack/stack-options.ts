import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { DatabaseUrls } from '@tideport/set-up/prepare-database'
import { compileCache } from '../processes/compile-cache.ts'
import { type Environment, hostEnvironment } from '../processes/host-environment.ts'
import type { ExternalServers } from '../servers/external-servers.ts'
import { type ServiceName, serviceNames } from '../services/service-name.ts'

export type StackOptions = {
  /** Port of the first gateway. Defaults to 8080; 0 selects a free port. */
  port?: number | undefined
  /** Port of the S3 API of the first gateway. Defaults to 0, which selects a free port. */
  s3Port?: number | undefined
  /** Directory of all data. Defaults to `.tideport` in the checkout. */
  dataDir?: string | undefined
  /** Deletes the data first. */
  fresh?: boolean | undefined
  /** `ipfs…` are IPFS nodes, `walrus-devnet…` Walrus devnets, others embedded networks. Defaults to `embedded`. */
  networks?: readonly string[] | undefined
  /** Services of which the first replica shares a process. Defaults to all; with `[]`, each is a process. */
  together?: readonly ServiceName[] | undefined
  /** Number of replicas of each service. Defaults to one. */
  replicas?: Partial<Record<ServiceName, number>> | undefined
  /** Does not print warnings of services. */
  quiet?: boolean | undefined
  /** Rebuilds an outdated console while the stack starts. */
  console?: boolean | undefined
  /** False disables durability after a power failure, for fast tests. */
  durable?: boolean | undefined
  /** Overrides settings of all services, and NATS_SERVER_BIN, VERSITYGW_BIN, KUBO_BIN, and TIDEPORT_CACHE_DIR. */
  env?: Readonly<Record<string, string>> | undefined
  /** Receives lines for the terminal. */
  out?: ((line: string) => void) | undefined
  /** Cancels the start when it aborts. */
  signal?: AbortSignal | undefined
  /** Directory of `<service>/src/main.ts` and `migrate.ts`. Defaults to `services` in the checkout. */
  servicesDir?: string | undefined
  /** Runs the system for its users. If unset, it runs for development. */
  production?: Production | undefined
  /** Starts a connection pooler between the services and Postgres. The stack disposes of it. */
  pooler?: StartPooler | undefined
}

/** No account is created, and the settings of the services have their documented defaults. */
export type Production = {
  /** Address of the gateway's ports. All other ports listen on 127.0.0.1 only. */
  host: string
  /** Directory of the built console. */
  consoleDir: string
  /** Receives the first API key, if the installation has no account and no owner yet. */
  keyFile?: string | undefined
  /** Servers that the stack uses instead of starting its own. */
  external: ExternalServers
}

export type StartPooler = (databaseUrls: DatabaseUrls) => Promise<AsyncDisposable & { port: number }>

export type ResolvedOptions = {
  port: number
  s3Port: number
  dataDir: string
  fresh: boolean
  networks: readonly string[]
  together: readonly ServiceName[]
  replicas: Partial<Record<ServiceName, number>>
  quiet: boolean
  console: boolean
  durable: boolean
  overrides: Readonly<Record<string, string>>
  host: Environment
  out: (line: string) => void
  signal: AbortSignal
  servicesDir: string
  checkout: string
  pooler: StartPooler | undefined
  production: Production | undefined
}

const checkout = fileURLToPath(new URL('../../../../', import.meta.url))

export function resolveOptions(options: StackOptions): ResolvedOptions {
  const overrides = options.env ?? {}
  const dataDir = resolve(options.dataDir ?? join(checkout, '.tideport'))
  // A read-only installation cannot store the cache of compiled programs.
  const cache = options.production ? join(dataDir, 'cache/node') : compileCache
  return {
    port: options.port ?? 8080,
    s3Port: options.s3Port ?? 0,
    dataDir,
    fresh: options.fresh ?? false,
    networks: options.networks ?? [],
    together: options.together ?? serviceNames,
    replicas: options.replicas ?? {},
    quiet: options.quiet ?? false,
    console: options.console ?? false,
    durable: options.durable ?? true,
    overrides,
    host: { NODE_COMPILE_CACHE: cache, ...hostEnvironment(), ...overrides },
    out: options.out ?? (() => {}),
    signal: options.signal ?? new AbortController().signal,
    servicesDir: resolve(options.servicesDir ?? join(checkout, 'services')),
    checkout,
    pooler: options.pooler,
    production: options.production,
  }
}
