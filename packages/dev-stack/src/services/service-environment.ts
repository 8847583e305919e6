import { publicKeySet } from '@tideport/set-up/make-secrets'
import type { DatabaseUrls } from '@tideport/set-up/prepare-database'
import type { Secrets } from '../data-directory/secrets.ts'
import { bareEnvironment, type Environment } from '../processes/host-environment.ts'
import { type PlannedProcess, urlsOf } from './plan-processes.ts'
import { type ServiceName, speaksHttp } from './service-name.ts'
import { settingsOf } from './service-settings.ts'

export type Wiring = {
  processes: readonly PlannedProcess[]
  secrets: Secrets
  databaseUrls: DatabaseUrls
  natsUrl: string
  s3: { endpoint: string; region: string; bucket: string }
  coldTier: Readonly<Record<string, string>>
  consoleDir: string
  host: Environment
  /** Settings that win over everything. */
  overrides: Readonly<Record<string, string>>
}

// So that a file's whole life can be watched in minutes (docs/operations.md).
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

/** The whole environment of one service process. It gets only the settings, addresses and secrets that are its own. */
export function serviceEnvironment(process: PlannedProcess, wiring: Wiring): Record<string, string> {
  const PUBLIC_URL = urlsOf('gateway', wiring.processes)[0] as string
  const S3_PUBLIC_ENDPOINT = wiring.s3.endpoint
  const CONSOLE_CONNECT_ORIGINS = URL.parse(wiring.host.S3_PUBLIC_ENDPOINT || S3_PUBLIC_ENDPOINT)?.origin ?? ''
  const console = { CONSOLE_DIR: wiring.consoleDir, CONSOLE_CONNECT_ORIGINS }
  const defaults = { ...watchableDefaults, PUBLIC_URL, S3_PUBLIC_ENDPOINT, ...console }
  return {
    ...bareEnvironment(wiring.host),
    ...settingsOf(process.name, defaults),
    ...settingsOf(process.name, wiring.host),
    HOST: '127.0.0.1',
    ...(process.url === undefined ? {} : { PORT: String(process.port) }),
    ADMIN_PORT: String(process.adminPort),
    ...keysOf(process.name, wiring),
    ...dependenciesOf(process.name, wiring),
    ...wiring.overrides,
  }
}

/** The keys of one service: those of the environment, else those of the data directory. */
function keysOf(name: ServiceName, { secrets, host }: Wiring): Record<string, string> {
  const key = (setting: string, own: string) => ({ [setting]: host[setting] || own })
  if (name === 'gateway') return key('IDENTITY_TOKEN_PRIVATE_KEY', JSON.stringify(secrets.identityTokenKey))
  const ofExports = key('EXPORT_SECRET_KEYS', secrets.exportSecretKey)
  if (!speaksHttp(name)) return name === 'eviction' ? ofExports : {}
  return {
    ...key('IDENTITY_TOKEN_PUBLIC_KEYS', JSON.stringify(publicKeySet(secrets.identityTokenKey))),
    ...(name === 'files' ? { ...key('DOWNLOAD_TOKEN_KEYS', secrets.downloadTokenKey), ...ofExports } : {}),
    ...(name === 'webhooks' ? key('WEBHOOK_SECRET_KEYS', secrets.webhookSecretKey) : {}),
  }
}

function dependenciesOf(name: ServiceName, wiring: Wiring): Record<string, string> {
  if (name === 'gateway') return upstreams(wiring.processes)
  if (name === 'auth') return { DATABASE_URL: wiring.databaseUrls.auth, NATS_URL: wiring.natsUrl }
  if (name === 'webhooks') return { DATABASE_URL: wiring.databaseUrls.webhooks, NATS_URL: wiring.natsUrl }
  return { DATABASE_URL: wiring.databaseUrls.files, NATS_URL: wiring.natsUrl, ...bothTiers(wiring) }
}

const upstreams = (processes: readonly PlannedProcess[]) => ({
  AUTH_URL: urlsOf('auth', processes).join(),
  FILES_URL: urlsOf('files', processes).join(),
  WEBHOOKS_URL: urlsOf('webhooks', processes).join(),
})

const bothTiers = ({ s3, secrets, coldTier, host }: Wiring) => ({
  S3_ENDPOINT: s3.endpoint,
  S3_REGION: s3.region,
  S3_BUCKET: s3.bucket,
  S3_FORCE_PATH_STYLE: 'true',
  AWS_ACCESS_KEY_ID: secrets.s3.accessKeyId,
  AWS_SECRET_ACCESS_KEY: secrets.s3.secretAccessKey,
  ...coldTier,
  EMBEDDED_NETWORK_ACCEPT_SINGLE_COPY: host.EMBEDDED_NETWORK_ACCEPT_SINGLE_COPY ?? 'true',
})
