/** Variables of `docker-compose.yml` from the environment or `.env`, for `--check-names`. */
export const composeVariables = [
  'BASE',
  'BIND',
  'CLOCK_SKEW_SECONDS',
  'CONSOLE_CONNECT_ORIGINS',
  'CONSOLE_DIR',
  'COPY_CHECK_SECONDS',
  'CORS_ORIGINS',
  'DEX_IMAGE',
  'DISPATCH_INTERVAL_SECONDS',
  'DOWNLOAD_URL_SECONDS',
  'EVENTS_MAX_AGE_SECONDS',
  'EVENTS_MAX_BYTES',
  'EXPORT_ALLOW_CIDRS',
  'GRAFANA_IMAGE',
  'GRAFANA_PORT',
  'HOT_RETENTION_SECONDS',
  'IDENTITY_PROVIDER_AUDIENCE',
  'IDENTITY_PROVIDER_CLIENT_ID',
  'IDENTITY_PROVIDER_DEVICE_FLOW',
  'IDENTITY_PROVIDER_ISSUER',
  'IDENTITY_PROVIDER_JWKS_URL',
  'IDENTITY_PROVIDER_PARAMETERS',
  'IDENTITY_PROVIDER_SCOPES',
  'JOBS_IN_FLIGHT_MAX',
  'JOBS_MAX_AGE_SECONDS',
  'JOBS_MAX_BYTES',
  'LOG_LEVEL',
  'NATS_IMAGE',
  'OPERATOR_CLAIM',
  'OTEL_COLLECTOR_IMAGE',
  'OTEL_EXPORTER_OTLP_ENDPOINT',
  'OTEL_TRACES_SAMPLER',
  'OTEL_TRACES_SAMPLER_ARG',
  'PORT',
  'POSTGRES_IMAGE',
  'PROMETHEUS_IMAGE',
  'PROMETHEUS_PORT',
  'PUBLIC_URL',
  'S3_API_PORT',
  'S3_API_URL',
  'S3_PORT',
  'S3_PUBLIC_ENDPOINT',
  'SETTLE_SECONDS',
  'SIGN_IN_PORT',
  'SIGN_IN_URL',
  'TIDEPORT_BUILD_NETWORK',
  'TIDEPORT_IMAGE',
  'TIDEPORT_PULL_POLICY',
  'TRUSTED_PROXIES',
  'VERSITYGW_IMAGE',
  'WEBHOOK_ALLOW_CIDRS',
]

/**
 * Settings to which `docker-compose.yml` gives a value. Compose lists them in `SETTINGS_NOT_PASSED` as `NAME=`, or as
 * `NAME=1` if `.env` or the shell sets them. Such a name reaches the environment only through an `env_file` or an override.
 */
export function settingsNotPassed(env: Readonly<Record<string, string | undefined>>) {
  const entries = (env['SETTINGS_NOT_PASSED'] ?? '').split(/\s+/).map((entry) => entry.split('='))
  const names = entries.flatMap(([name]) => name || [])
  const given = entries.flatMap(([name = '', isSet]) => (isSet && env[name] ? name : []))
  return { names, faults: given.map((name) => `${name}: ${notPassed}`) }
}

const notPassed = 'docker-compose.yml sets this itself. To change it, use docker-compose.override.yml.'
