import type { JSONWebKeySet } from 'jose'
import { createLocalJWKSet } from 'jose/jwks/local'
import { z } from 'zod'
import { bytes, integer, list, port, seconds, secret, url } from './setting.ts'
import { tracingSettings } from './tracing-settings.ts'

export const processSettings = {
  SERVICE_ENV: z
    .string()
    .default('production')
    .describe('Exactly "development" turns on development mode; any other value means production'),
  HOST: z.string().default('0.0.0.0').describe('Address that PORT and ADMIN_PORT are bound to'),
  ADMIN_PORT: port().default(9090).describe('Port of /live, /ready, and /metrics; 0 selects a free port'),
  SHUTDOWN_SECONDS: seconds({ min: 1 })
    .default(25)
    .describe('Maximum duration of a shutdown before the process is forced to exit'),
  BLOCKED_EXIT_SECONDS: seconds()
    .default(60)
    .describe(
      'How long a computation may block a process of several services before it is killed, so that its supervisor restarts it; 0 = no limit',
    ),
  LOG_LEVEL: z
    .enum(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'])
    .default('info')
    .describe('Lowest log level that is logged'),
  FAILPOINT_DIR: z
    .string()
    .optional()
    .describe('Development only: a file named after a failpoint in this directory kills or pauses the process there'),
  ...tracingSettings,
}

export const portSetting = (defaultPort: number) =>
  port().default(defaultPort).describe('Port of the API; 0 selects a free port')

/** Additional settings of processes that serve HTTP requests. */
export const connectionSettings = {
  CONNECTION_DRAIN_SECONDS: seconds()
    .default(5)
    .describe(
      'How long a stopping process continues to accept requests. Each response closes its connection, so clients move to another process without losing requests. Part of SHUTDOWN_SECONDS, at most half of it',
    ),
}

/** Additional settings of processes that send files. */
export const streamDrainSettings = {
  STREAM_DRAIN_SECONDS: seconds()
    .default(300)
    .describe(
      'How long a stopping process continues to send files in progress before it cuts them. Not part of SHUTDOWN_SECONDS, and at least half of it',
    ),
}

export const databaseSettings = {
  DATABASE_URL: secret(url(['postgres', 'postgresql'])).describe('Postgres, with the role that owns the schema'),
  DATABASE_POOL_SIZE: integer({ min: 1, max: 1000 })
    .default(10)
    .describe('Maximum connections of a process; connections idle for 30 s are closed'),
  DATABASE_POOLER: z
    .enum(['none', 'transaction'])
    .default('none')
    .describe('Target of DATABASE_URL: Postgres itself, or a pooler in transaction mode'),
}

export const auditSettings = {
  AUDIT_RETENTION_SECONDS: integer({ min: 3600, max: 315_360_000 })
    .default(365 * 86_400)
    .describe('How long the audit log of an account can be read; for files and vaults, counted from their deletion'),
}

export const natsSettings = {
  NATS_URL: secret(list(url(['nats', 'tls'])))
    .refine((servers) => servers.length > 0, 'must contain a server')
    .describe('Comma-separated NATS servers with JetStream 2.10 or newer; tls:// requires TLS'),
  NATS_CREDS: z.string().optional().describe('Path of a NATS credentials file'),
  EVENTS_MAX_BYTES: bytes()
    .optional()
    .describe(
      'Maximum size of stream EVENTS; an existing stream only grows; 0 = no limit; unset: 8 GiB at creation, then unchanged',
    ),
  EVENTS_MAX_AGE_SECONDS: integer({ min: 3600, max: 315_360_000 })
    .optional()
    .describe('How long stream EVENTS keeps events, and how far back lost events are sent again; unset: 7 days'),
  JOBS_MAX_BYTES: bytes()
    .optional()
    .describe(
      'Maximum size of stream JOBS; an existing stream only grows; 0 = no limit; unset: 2 GiB at creation, then unchanged',
    ),
  JOBS_MAX_AGE_SECONDS: integer({ max: 315_360_000 })
    .optional()
    .describe('How long stream JOBS keeps jobs that no worker took; 0 or unset: forever'),
  STREAM_REPLICAS: integer({ min: 1, max: 5 })
    .optional()
    .describe(
      'NATS servers that store each stream; an existing stream only grows; unset: 1 at creation, then unchanged',
    ),
  JOBS_IN_FLIGHT_MAX: integer({ min: 1, max: 1_000_000 })
    .optional()
    .describe(
      'Maximum jobs of one kind in progress across all workers; an existing limit only grows; unset: 1000 at creation, then unchanged',
    ),
}

export const identityTokenPublicSettings = {
  IDENTITY_TOKEN_PUBLIC_KEYS: z
    .string()
    .refine(isKeySet, 'must be a JWKS of Ed25519 public keys, each with a kid')
    .describe('Public keys of the gateway as a JWKS; several during a rotation'),
}

export const httpServiceSettings = (defaultPort: number) => ({
  ...processSettings,
  PORT: portSetting(defaultPort),
  ...connectionSettings,
  ...databaseSettings,
  ...natsSettings,
  ...identityTokenPublicSettings,
  ...auditSettings,
})

function isKeySet(text: string): boolean {
  try {
    const keySet = JSON.parse(text) as JSONWebKeySet
    createLocalJWKSet(keySet)
    return keySet.keys.length > 0 && keySet.keys.every((key) => key.crv === 'Ed25519' && key.kid && !('d' in key))
  } catch {
    return false
  }
}
