import type { Environment } from '../processes/host-environment.ts'

// docs/configuration.md, without what the stack wires itself (ports, addresses, the roles and keys of its own servers)
// and without the keys of single services.
const exact = [
  'SERVICE_ENV SHUTDOWN_SECONDS CONNECTION_DRAIN_SECONDS LOG_LEVEL PUBLIC_URL TRUSTED_PROXIES DEVELOPMENT_ALLOW_NETWORK DATABASE_POOL_SIZE',
  'S3_PUBLIC_ENDPOINT UPLOAD_URL_SECONDS CONFIRM_WAIT_SECONDS CONFIRM_RECHECK_SECONDS',
  'CONFIRM_LOST_SECONDS SETTLE_SECONDS DOWNLOAD_URL_SECONDS CLOCK_SKEW_SECONDS UPLOAD_EXPIRY_SECONDS',
  'TRASH_RETENTION_SECONDS HOT_RETENTION_SECONDS MAX_PUT_BYTES MAX_FILE_BYTES ACCOUNT_QUOTA_BYTES OPEN_UPLOADS_MAX',
  'SYNC_CONCURRENCY SYNC_ATTEMPTS_MAX SYNC_RETRY_BASE_SECONDS EVICTION_CONCURRENCY EVICTIONS_PER_MINUTE_MAX',
  'EVICTION_DRY_RUN EVICTION_RETRY_BASE_SECONDS DISPATCH_INTERVAL_SECONDS RELAY_POLL_SECONDS',
  'EVENTS_MAX_BYTES EVENTS_MAX_AGE_SECONDS JOBS_MAX_BYTES JOBS_MAX_AGE_SECONDS JOBS_IN_FLIGHT_MAX STREAM_REPLICAS',
  'EMBEDDED_NETWORK_RESERVE_BYTES',
  'WEBHOOK_TIMEOUT_SECONDS WEBHOOK_RETRY_SCALE WEBHOOK_CONCURRENCY WEBHOOK_ALLOW_CIDRS WEBHOOK_DNS_SERVERS',
  'WEBHOOK_SECRET_OVERLAP_SECONDS WEBHOOK_LOG_RETENTION_SECONDS PUBLIC_READS CORS_ORIGINS',
].flatMap((line) => line.split(' '))
const families = ['IDENTITY_PROVIDER_', 'RATE_LIMIT_', 'IPFS_', 'WALRUS_', 'OTEL_']

/** The settings of services that are given in an environment; all else in it stays away from them. */
export function hostSettings(environment: Environment): Record<string, string> {
  const isSetting = (name: string) => exact.includes(name) || families.some((family) => name.startsWith(family))
  const given = Object.entries(environment).filter(([name, value]) => isSetting(name) && value)
  return Object.fromEntries(given) as Record<string, string>
}
