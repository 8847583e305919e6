import type { Environment } from '../processes/host-environment.ts'
import { type ServiceName, serviceNames } from './service-name.ts'

// docs/configuration.md, without what the stack wires itself (ports, addresses, the roles and keys of its own servers)
// and without the keys of single services. A test holds it against the schemas of the services.
const readers: readonly (readonly [services: string, settings: string])[] = [
  [serviceNames.join(' '), 'SERVICE_ENV SHUTDOWN_SECONDS LOG_LEVEL'],
  ['gateway auth files webhooks', 'CONNECTION_DRAIN_SECONDS'],
  ['gateway files', 'PUBLIC_URL CONFIRM_WAIT_SECONDS STREAM_STALL_SECONDS STREAM_DRAIN_SECONDS'],
  [
    'gateway',
    'IDENTITY_PROVIDER_ISSUER IDENTITY_PROVIDER_AUDIENCE IDENTITY_PROVIDER_JWKS_URL IDENTITY_PROVIDER_ALGORITHMS ' +
      'IDENTITY_PROVIDER_CLIENT_ID IDENTITY_PROVIDER_SCOPES IDENTITY_PROVIDER_PARAMETERS IDENTITY_PROVIDER_DEVICE_FLOW ' +
      'RATE_LIMIT_PER_SECOND RATE_LIMIT_BURST RATE_LIMIT_ANONYMOUS_PER_SECOND RATE_LIMIT_ANONYMOUS_BURST ' +
      'STREAMS_MAX STREAMS_PER_ADDRESS_MAX TRUSTED_PROXIES CORS_ORIGINS DEVELOPMENT_HOSTS DEVELOPMENT_ALLOW_NETWORK ' +
      'KEY_ANSWER_SECONDS OPERATOR_CLAIM DEVELOPMENT_OPERATOR CONSOLE_DIR CONSOLE_CONNECT_ORIGINS',
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
      'DIRECT_UPLOAD_MAX_BYTES DIRECT_UPLOAD_MEMORY_BYTES PRICE_CURRENCY ACCOUNT_JOBS_MAX ' +
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

// What a developer may say of each storage network; its driver and its directory are wired.
const ofNetworks = /^NETWORK_[A-Z0-9_]+_(ROLE|RESERVE_BYTES)$/
const withNetworks: readonly ServiceName[] = ['files', 'sync', 'eviction']

export function settingsOf(service: ServiceName, environment: Environment): Record<string, string> {
  const known = new Set(
    readers.flatMap(([services, settings]) => (services.split(' ').includes(service) ? settings.split(' ') : [])),
  )
  // The exporter of traces reads standard names that no schema lists.
  const isSetting = (name: string) =>
    known.has(name) || name.startsWith('OTEL_') || (withNetworks.includes(service) && ofNetworks.test(name))
  const given = Object.entries(environment).filter(([name, value]) => isSetting(name) && value)
  return Object.fromEntries(given) as Record<string, string>
}
