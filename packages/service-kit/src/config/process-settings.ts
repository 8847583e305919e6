import type { JSONWebKeySet } from 'jose'
import { createLocalJWKSet } from 'jose/jwks/local'
import { z } from 'zod'
import { bytes, integer, list, port, seconds, secret, url } from './setting.ts'
import { tracingSettings } from './tracing-settings.ts'

export const processSettings = {
  SERVICE_ENV: z
    .string()
    .default('production')
    .describe('The exact word "development" turns development mode on; anything else is production'),
  HOST: z.string().default('0.0.0.0').describe('Address that PORT and ADMIN_PORT are bound to'),
  ADMIN_PORT: port().default(9090).describe('Port of /live, /ready and /metrics; 0 takes a free one'),
  SHUTDOWN_SECONDS: seconds({ min: 1 }).default(25).describe('How long a stop may take before it is forced'),
  LOG_LEVEL: z
    .enum(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'])
    .default('info')
    .describe('Least severe level that is logged'),
  FAILPOINT_DIR: z
    .string()
    .optional()
    .describe('Development only: a file named after a failpoint in this directory kills or pauses the process there'),
  ...tracingSettings,
}

export const portSetting = (defaultPort: number) =>
  port().default(defaultPort).describe('Port of the API; 0 takes a free one')

/** Settings of processes that answer HTTP requests, besides. */
export const connectionSettings = {
  CONNECTION_DRAIN_SECONDS: seconds()
    .default(5)
    .describe(
      'After it was told to stop a process goes on serving for so long, each answer the last of its connection, so that clients move on without a request lost; part of SHUTDOWN_SECONDS, half of it at most',
    ),
}

/** Settings of processes that send files, besides. */
export const streamDrainSettings = {
  STREAM_DRAIN_SECONDS: seconds()
    .default(300)
    .describe(
      'After it was told to stop a process goes on sending what is under way for so long, then cuts it; half of SHUTDOWN_SECONDS at least, and not part of it',
    ),
}

export const databaseSettings = {
  DATABASE_URL: secret(url(['postgres', 'postgresql'])).describe('Postgres, with the role that owns the schema'),
  DATABASE_POOL_SIZE: integer({ min: 1, max: 1000 })
    .default(10)
    .describe('Connections a process may hold; one that nobody used for 30 s is closed'),
  DATABASE_POOLER: z
    .enum(['none', 'transaction'])
    .default('none')
    .describe('What DATABASE_URL leads to: Postgres itself, or a pooler that lends its connections by the transaction'),
}

export const auditSettings = {
  AUDIT_RETENTION_SECONDS: integer({ min: 3600, max: 315_360_000 })
    .default(365 * 86_400)
    .describe('How long the log of an account can be read; of files and vaults, after they are gone'),
}

export const natsSettings = {
  NATS_URL: secret(list(url(['nats', 'tls'])))
    .refine((servers) => servers.length > 0, 'must name a server')
    .describe('NATS servers with JetStream 2.10 or newer, a comma list; tls:// insists on TLS'),
  NATS_CREDS: z.string().optional().describe('Path of a NATS credentials file'),
  EVENTS_MAX_BYTES: bytes()
    .optional()
    .describe('Stream EVENTS grows to this size, 0 = no limit; unset: 8 GiB when it is made, later as it is'),
  EVENTS_MAX_AGE_SECONDS: integer({ min: 3600, max: 315_360_000 })
    .optional()
    .describe('Stream EVENTS keeps events for this long, and so far back lost ones are sent again; unset: 7 days'),
  JOBS_MAX_BYTES: bytes()
    .optional()
    .describe('Stream JOBS grows to this size, 0 = no limit; unset: 2 GiB when it is made, later as it is'),
  JOBS_MAX_AGE_SECONDS: integer({ max: 315_360_000 })
    .optional()
    .describe('Stream JOBS keeps jobs that nobody took for this long, 0 = for ever; unset: for ever'),
  STREAM_REPLICAS: integer({ min: 1, max: 5 })
    .optional()
    .describe('NATS servers that keep each stream; grows to this number; unset: 1 when it is made, later as it is'),
  JOBS_IN_FLIGHT_MAX: integer({ min: 1, max: 1_000_000 })
    .optional()
    .describe('Jobs of one kind under way at all workers together grow to this number; unset: 1000, later as it is'),
}

export const identityTokenPublicSettings = {
  IDENTITY_TOKEN_PUBLIC_KEYS: z
    .string()
    .refine(isKeySet, 'must be a JWKS of Ed25519 public keys, each with a kid')
    .describe("The gateway's public keys, a JWKS; several during a rotation"),
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
