import { publicKeySet } from '@tideport/set-up/make-secrets'
import type { DatabaseUrls } from '@tideport/set-up/prepare-database'
import type { Secrets } from '../data-directory/secrets.ts'
import { bareEnvironment, type Environment } from '../processes/host-environment.ts'
import type { ExternalStore } from '../servers/external-servers.ts'
import { type PlannedService, urlsOf } from './plan-processes.ts'
import { type ServiceName, serviceNames, speaksHttp } from './service-name.ts'

export type Wiring = {
  services: readonly PlannedService[]
  secrets: Secrets
  databaseUrls: DatabaseUrls
  natsUrl: string
  s3: ExternalStore
  coldTier: Readonly<Record<string, string>>
  consoleDir: string
  /** `ownsStore`: clients reach the bucket through the gateway, because only its port is public. */
  production?: { host: string; ownsStore: boolean } | undefined
  host: Environment
  /** Settings that override all others. */
  overrides: Readonly<Record<string, string>>
}

// Lets a developer watch the complete life of a file in minutes (docs/contribute/local-stack.md).
const watchableDefaults = {
  SERVICE_ENV: 'development',
  HOT_RETENTION_SECONDS: '60',
  DOWNLOAD_URL_SECONDS: '60',
  CLOCK_SKEW_SECONDS: '1',
  SETTLE_SECONDS: '5',
  CONNECTION_DRAIN_SECONDS: '0',
  STREAM_DRAIN_SECONDS: '0',
  SYNC_RETRY_BASE_SECONDS: '1',
  EVICTION_RETRY_BASE_SECONDS: '1',
  WEBHOOK_RETRY_SCALE: '0.01',
  RATE_LIMIT_PER_SECOND: '0',
  RATE_LIMIT_BURST: '0',
  RATE_LIMIT_ANONYMOUS_PER_SECOND: '0',
  RATE_LIMIT_ANONYMOUS_BURST: '0',
  LOG_LEVEL: 'info',
}

// A machine that runs everything has no other process that could take over, and `docker stop` waits 10 s.
const productionDefaults = {
  SHUTDOWN_SECONDS: '6',
  CONNECTION_DRAIN_SECONDS: '0',
  STREAM_DRAIN_SECONDS: '0',
  EVENTS_MAX_BYTES: '1073741824',
  JOBS_MAX_BYTES: '268435456',
}

/** The complete environment of a process. With several services, settings that differ have a prefix. */
export function processEnvironment(services: readonly PlannedService[], wiring: Wiring): Record<string, string> {
  const each = services.map((service) => ({ service, env: serviceEnvironment(service, wiring) }))
  const [only] = each
  if (only !== undefined && each.length === 1) return only.env
  const shared: Record<string, string> = Object.assign({}, ...each.map(({ env }) => env))
  const prefixed = each.flatMap(({ service, env }) => {
    // The gateway may have another address than the process with its admin port.
    const names = env.HOST === shared.HOST ? differing : [...differing, 'HOST']
    return names.flatMap((name) => (env[name] ? [[`${service.name.toUpperCase()}_${name}`, env[name]]] : []))
  })
  for (const name of differing) delete shared[name]
  return { ...shared, ...Object.fromEntries(prefixed), TIDEPORT_PROCESSES: services.map(({ name }) => name).join() }
}

const differing = ['PORT', 'DATABASE_URL']

/** The complete environment of one service process: only the settings, addresses, and secrets of that service. */
function serviceEnvironment(service: PlannedService, wiring: Wiring): Record<string, string> {
  const { production, host } = wiring
  const PUBLIC_URL = publicUrlOf(wiring)
  const S3_PUBLIC_ENDPOINT = production?.ownsStore ? (URL.parse(PUBLIC_URL)?.origin ?? '') : wiring.s3.endpoint
  const CONSOLE_CONNECT_ORIGINS = URL.parse(host.S3_PUBLIC_ENDPOINT || S3_PUBLIC_ENDPOINT)?.origin ?? ''
  const console = { CONSOLE_DIR: wiring.consoleDir, CONSOLE_CONNECT_ORIGINS }
  const defaults = {
    ...(production ? productionDefaults : watchableDefaults),
    PUBLIC_URL,
    S3_PUBLIC_ENDPOINT,
    ...s3ApiUrl(wiring, PUBLIC_URL),
    ...console,
  }
  return {
    ...bareEnvironment(wiring.host),
    ...settingsOf(service.name, defaults),
    ...settingsOf(service.name, wiring.host),
    ...(production && { SERVICE_ENV: 'production' }),
    HOST: (service.name === 'gateway' && production?.host) || '127.0.0.1',
    ...(service.url === undefined ? {} : { PORT: String(service.port) }),
    ...(service.s3Port === undefined ? {} : { S3_API_PORT: String(service.s3Port) }),
    ADMIN_PORT: String(service.adminPort),
    ...keysOf(service.name, wiring),
    ...dependenciesOf(service.name, wiring),
    ...wiring.overrides,
  }
}

/** The settings of the program of operators, which uses the servers of the stack. */
export function operatorEnvironment(wiring: Wiring): Record<string, string> {
  const { production, databaseUrls, natsUrl, host } = wiring
  return {
    SERVICE_ENV: production ? 'production' : 'development',
    PUBLIC_URL: publicUrlOf(wiring),
    DATABASE_URL: databaseUrls.files,
    AUTH_DATABASE_URL: databaseUrls.auth,
    WEBHOOKS_DATABASE_URL: databaseUrls.webhooks,
    NATS_URL: natsUrl,
    ...(host.SETTLE_SECONDS && { SETTLE_SECONDS: host.SETTLE_SECONDS }),
    ...keysOf('eviction', wiring),
    ...keysOf('webhooks', wiring),
    ...bothTiers(wiring),
  }
}

/** By default, the address at which this machine reaches the gateway: of a container, with the same port published. */
export function publicUrlOf({ host, production, services }: Pick<Wiring, 'host' | 'production' | 'services'>): string {
  const url = urlsOf('gateway', services)[0] as string
  return (production && host.PUBLIC_URL) || (production ? url.replace('127.0.0.1', 'localhost') : url)
}

/** The S3 API of each of these gateways. */
export function s3ApiUrlsOf(services: readonly PlannedService[]): string[] {
  return services.flatMap(({ s3Port }) => (s3Port === undefined ? [] : [`http://127.0.0.1:${s3Port}`]))
}

/** By default, the host of the gateway with the port of the S3 API. Unknown behind a proxy with TLS. */
function s3ApiUrl({ services }: Wiring, publicUrl: string): Record<string, string> {
  const [own] = s3ApiUrlsOf(services)
  const { protocol, hostname } = new URL(publicUrl)
  if (own === undefined || protocol !== 'http:') return {}
  // With an address, clients do not put bucket names before it. They would look up names such as photos.localhost.
  return { S3_API_URL: own.replace('127.0.0.1', hostname === 'localhost' ? '127.0.0.1' : hostname) }
}

/** The keys of one service, from the environment or else from the data directory. */
function keysOf(name: ServiceName, { secrets, host }: Wiring): Record<string, string> {
  const key = (setting: string, own: string) => ({ [setting]: host[setting] || own })
  if (name === 'gateway') return key('IDENTITY_TOKEN_PRIVATE_KEY', JSON.stringify(secrets.identityTokenKey))
  const ofExports = key('EXPORT_SECRET_KEYS', secrets.exportSecretKey)
  if (!speaksHttp(name)) return name === 'eviction' ? ofExports : {}
  return {
    ...key('IDENTITY_TOKEN_PUBLIC_KEYS', JSON.stringify(publicKeySet(secrets.identityTokenKey))),
    ...(name === 'auth' ? key('S3_API_SECRET_KEYS', secrets.s3ApiSecretKey) : {}),
    ...(name === 'files' ? { ...key('DOWNLOAD_TOKEN_KEYS', secrets.downloadTokenKey), ...ofExports } : {}),
    ...(name === 'webhooks' ? key('WEBHOOK_SECRET_KEYS', secrets.webhookSecretKey) : {}),
  }
}

function dependenciesOf(name: ServiceName, wiring: Wiring): Record<string, string> {
  if (name === 'gateway') return { ...upstreams(wiring.services), ...forwardedBucket(wiring) }
  if (name === 'auth') return { DATABASE_URL: wiring.databaseUrls.auth, NATS_URL: wiring.natsUrl }
  if (name === 'webhooks') return { DATABASE_URL: wiring.databaseUrls.webhooks, NATS_URL: wiring.natsUrl }
  return { DATABASE_URL: wiring.databaseUrls.files, NATS_URL: wiring.natsUrl, ...bothTiers(wiring) }
}

function forwardedBucket({ production, s3 }: Wiring): Record<string, string> {
  return production?.ownsStore ? { FORWARDED_BUCKET_URL: `${s3.endpoint}/${s3.bucket}` } : {}
}

const upstreams = (services: readonly PlannedService[]) => ({
  AUTH_URL: urlsOf('auth', services).join(),
  FILES_URL: urlsOf('files', services).join(),
  WEBHOOKS_URL: urlsOf('webhooks', services).join(),
})

const bothTiers = ({ s3, coldTier, host }: Wiring) => ({
  S3_ENDPOINT: s3.endpoint,
  S3_REGION: s3.region,
  S3_BUCKET: s3.bucket,
  S3_FORCE_PATH_STYLE: String(s3.forcePathStyle),
  AWS_ACCESS_KEY_ID: s3.accessKeyId,
  AWS_SECRET_ACCESS_KEY: s3.secretAccessKey,
  ...coldTier,
  EMBEDDED_NETWORK_ACCEPT_SINGLE_COPY: host.EMBEDDED_NETWORK_ACCEPT_SINGLE_COPY ?? 'true',
})

// The settings of docs/reference/settings.md, except those that the stack sets itself (ports, addresses, roles and keys
// of its own servers) and the keys of single services. A test compares them with the schemas of the services.
const readers: readonly (readonly [services: string, settings: string])[] = [
  [serviceNames.join(' '), 'SERVICE_ENV SHUTDOWN_SECONDS BLOCKED_EXIT_SECONDS LOG_LEVEL'],
  ['gateway auth files webhooks', 'CONNECTION_DRAIN_SECONDS'],
  ['gateway auth files', 'PUBLIC_URL'],
  ['gateway files', 'CONFIRM_WAIT_SECONDS STREAM_STALL_SECONDS STREAM_DRAIN_SECONDS'],
  [
    'gateway',
    'IDENTITY_PROVIDER_ISSUER IDENTITY_PROVIDER_AUDIENCE IDENTITY_PROVIDER_JWKS_URL IDENTITY_PROVIDER_ALGORITHMS ' +
      'IDENTITY_PROVIDER_CLIENT_ID IDENTITY_PROVIDER_SCOPES IDENTITY_PROVIDER_PARAMETERS IDENTITY_PROVIDER_DEVICE_FLOW ' +
      'RATE_LIMIT_PER_SECOND RATE_LIMIT_BURST RATE_LIMIT_ANONYMOUS_PER_SECOND RATE_LIMIT_ANONYMOUS_BURST ' +
      'STREAMS_MAX STREAMS_PER_ADDRESS_MAX TRUSTED_PROXIES CORS_ORIGINS DEVELOPMENT_HOSTS DEVELOPMENT_ALLOW_NETWORK ' +
      'KEY_ANSWER_SECONDS OPERATOR_CLAIM DEVELOPMENT_OPERATOR CONSOLE_DIR CONSOLE_CONNECT_ORIGINS ' +
      'S3_API_HOSTS S3_API_REGION S3_API_URL',
  ],
  ['auth files sync eviction webhooks', 'DATABASE_POOL_SIZE'],
  ['auth', 'REVOCATION_WAIT_SECONDS'],
  ['auth files eviction webhooks', 'AUDIT_RETENTION_SECONDS'],
  [
    'auth files sync eviction webhooks',
    'EVENTS_MAX_BYTES EVENTS_MAX_AGE_SECONDS JOBS_MAX_BYTES JOBS_MAX_AGE_SECONDS JOBS_IN_FLIGHT_MAX STREAM_REPLICAS',
  ],
  ['files sync eviction', 'S3_PUBLIC_ENDPOINT EMBEDDED_NETWORK_RESERVE_BYTES RELAY_POLL_SECONDS'],
  ['files sync eviction', 'SETTLE_SECONDS'],
  [
    'files eviction',
    'CONFIRM_LOST_SECONDS DOWNLOAD_URL_SECONDS CLOCK_SKEW_SECONDS TRASH_RETENTION_SECONDS EXPORT_ALLOW_CIDRS',
  ],
  [
    'files',
    'UPLOAD_URL_SECONDS UPLOAD_EXPIRY_SECONDS MAX_PUT_BYTES MAX_FILE_BYTES ACCOUNT_QUOTA_BYTES OPEN_UPLOADS_MAX ' +
      'PUBLIC_READS SLOW_CALLS_PER_ACCOUNT_MAX HOT_STREAMS_MAX COLD_STREAMS_MAX ' +
      'DIRECT_UPLOAD_MAX_BYTES DIRECT_UPLOAD_MEMORY_BYTES PRICE_CURRENCY ACCOUNT_JOBS_MAX RELEASE_SITE_URL ' +
      'ARCHIVE_FILES_MAX ARCHIVE_MEMORY_BYTES',
  ],
  ['sync eviction', 'DISPATCH_INTERVAL_SECONDS'],
  ['sync', 'SYNC_CONCURRENCY SYNC_NETWORKS SYNC_ATTEMPTS_MAX SYNC_RETRY_BASE_SECONDS HOT_RETENTION_SECONDS'],
  [
    'eviction',
    'CONFIRM_RECHECK_SECONDS EVICTION_CONCURRENCY EVICTIONS_PER_MINUTE_MAX EVICTION_DRY_RUN ' +
      'EVICTION_RETRY_BASE_SECONDS COPY_CHECK_SECONDS COPY_CHECK_BYTES_PER_SECOND COPY_WALK_SECONDS ' +
      'ACCOUNT_JOB_RETENTION_SECONDS PERIODIC_TASK_PROCESSES',
  ],
  [
    'webhooks',
    'WEBHOOK_TIMEOUT_SECONDS WEBHOOK_RETRY_SCALE WEBHOOK_CONCURRENCY WEBHOOK_SECRET_OVERLAP_SECONDS ' +
      'WEBHOOK_LOG_RETENTION_SECONDS WEBHOOK_DNS_SERVERS WEBHOOK_ALLOW_CIDRS',
  ],
]

const secretKeys =
  'IDENTITY_TOKEN_PRIVATE_KEY IDENTITY_TOKEN_PUBLIC_KEYS DOWNLOAD_TOKEN_KEYS EXPORT_SECRET_KEYS WEBHOOK_SECRET_KEYS ' +
  'S3_API_SECRET_KEYS'

/** All settings of services that the environment may set. */
export const settingNames = [...readers.map(([, settings]) => settings), secretKeys].flatMap((names) =>
  names.split(' '),
)

// Settings that a developer may set for each storage network. The stack sets its driver and its directory.
const ofNetworks = /^NETWORK_[A-Z0-9_]+_(ROLE|RESERVE_BYTES)$/
const withNetworks: readonly ServiceName[] = ['files', 'sync', 'eviction']

function settingsOf(service: ServiceName, environment: Environment): Record<string, string> {
  const known = new Set(
    readers.flatMap(([services, settings]) => (services.split(' ').includes(service) ? settings.split(' ') : [])),
  )
  // The trace exporter reads standard settings that no schema lists.
  const isSetting = (name: string) =>
    known.has(name.replace(/_FILE$/, '')) ||
    name.startsWith('OTEL_') ||
    (withNetworks.includes(service) && ofNetworks.test(name))
  const given = Object.entries(environment).filter(([name, value]) => isSetting(name) && value)
  return Object.fromEntries(given) as Record<string, string>
}
