import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { DatabaseUrls } from '@tideport/set-up/prepare-database'
import { type Environment, hostEnvironment } from '../processes/host-environment.ts'
import type { ServiceName } from '../services/service-name.ts'

export type StackOptions = {
  /** Port of the first gateway; 8080 when missing, 0 for any free one. */
  port?: number | undefined
  /** Where everything is kept; `.tideport` in the checkout when missing. */
  dataDir?: string | undefined
  /** Forget the data first. */
  fresh?: boolean | undefined
  /** `ipfs…` are IPFS nodes, `walrus-devnet…` Walrus devnets, all others embedded ones; one `embedded` if missing. */
  networks?: readonly string[] | undefined
  /** How many processes of each service; one when missing. */
  replicas?: Partial<Record<ServiceName, number>> | undefined
  /** Do not pass on what services warn of. */
  quiet?: boolean | undefined
  /** Build the console where what was built is stale, while all else starts. */
  console?: boolean | undefined
  /** False trades durability after a power cut for speed, for tests. */
  durable?: boolean | undefined
  /**
   * Settings of all services that win over everything; also NATS_SERVER_BIN, VERSITYGW_BIN, KUBO_BIN,
   * TIDEPORT_CACHE_DIR.
   */
  env?: Readonly<Record<string, string>> | undefined
  /** Gets the lines meant for a terminal. */
  out?: ((line: string) => void) | undefined
  /** Stops starting when it aborts. */
  signal?: AbortSignal | undefined
  /** Where `<service>/src/main.ts` and `migrate.ts` are; `services` in the checkout when missing. */
  servicesDir?: string | undefined
  /** Starts what the services reach Postgres through, given the URLs that lead there; ends with the stack. */
  pooler?: StartPooler | undefined
}

export type StartPooler = (databaseUrls: DatabaseUrls) => Promise<AsyncDisposable & { port: number }>

export type ResolvedOptions = {
  port: number
  dataDir: string
  fresh: boolean
  networks: readonly string[]
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
}

const checkout = fileURLToPath(new URL('../../../../', import.meta.url))
/** Compiling a service takes a second that its next start is spared. It goes with the packages it was compiled from. */
const compileCache = join(checkout, 'node_modules/.cache/node')

export function resolveOptions(options: StackOptions): ResolvedOptions {
  const overrides = options.env ?? {}
  return {
    port: options.port ?? 8080,
    dataDir: resolve(options.dataDir ?? join(checkout, '.tideport')),
    fresh: options.fresh ?? false,
    networks: options.networks ?? [],
    replicas: options.replicas ?? {},
    quiet: options.quiet ?? false,
    console: options.console ?? false,
    durable: options.durable ?? true,
    overrides,
    host: { NODE_COMPILE_CACHE: compileCache, ...hostEnvironment(), ...overrides },
    out: options.out ?? (() => {}),
    signal: options.signal ?? new AbortController().signal,
    servicesDir: resolve(options.servicesDir ?? join(checkout, 'services')),
    checkout,
    pooler: options.pooler,
  }
}
