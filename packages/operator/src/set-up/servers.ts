import { networkConsumers } from '@tideport/contracts/internal/streams'
import { networkNames } from '@tideport/file-lifecycle/copies/network-settings'
import { hotTierSettings } from '@tideport/file-lifecycle/process/settings'
import { findCredentials, type HotTierConfig } from '@tideport/hot-tier/store-calls'
import { loadConfig } from '@tideport/service-kit/config/config'
import { natsSettings } from '@tideport/service-kit/config/process-settings'
import { baseUrl, list, origin, secret, url } from '@tideport/service-kit/config/setting'
import { connectNats } from '@tideport/service-kit/nats/nats'
import { isUnavailable } from '@tideport/service-kit/postgres/database-errors'
import { untilAvailable, waitSettings } from '@tideport/service-kit/process/until-available'
import { type Bucket, prepareBucket } from '@tideport/set-up/prepare-bucket'
import { prepareDatabase } from '@tideport/set-up/prepare-database'
import { z } from 'zod'
import type { CommandContext } from '../command.ts'

const databaseUrl = () => secret(url(['postgres', 'postgresql']))

export const databaseStepSettings = z.object({
  ...waitSettings,
  ADMIN_DATABASE_URL: databaseUrl().describe(
    'Postgres URL of a role that can create roles, or of the owner of the database',
  ),
  AUTH_DATABASE_URL: databaseUrl().describe('DATABASE_URL of auth; the set-up creates its role and password'),
  FILES_DATABASE_URL: databaseUrl().describe('DATABASE_URL of files, sync, and eviction'),
  WEBHOOKS_DATABASE_URL: databaseUrl().describe('DATABASE_URL of webhooks'),
})

/** Creates the database, and a role and a schema for each owner. */
export async function setUpDatabase({ env, log, signal }: CommandContext): Promise<void> {
  const config = loadConfig(databaseStepSettings, env)
  const urls = {
    auth: config.authDatabaseUrl,
    files: config.filesDatabaseUrl,
    webhooks: config.webhooksDatabaseUrl,
  }
  const wait = { seconds: config.waitSeconds, what: 'Postgres', isOutage: isUnavailable, log, signal }
  await untilAvailable(() => prepareDatabase(config.adminDatabaseUrl, urls), wait)
}

/** Only the names of the networks are needed. */
export const streamsStepSettings = z.object({
  ...waitSettings,
  ...natsSettings,
  STORAGE_NETWORKS: z.string().default(''),
  STORAGE_NETWORK: z.string().default('embedded'),
})

/** Creates streams and consumers. Services also create them, but scaling by consumer lag needs them earlier. */
export async function setUpStreams({ env, log, signal }: CommandContext): Promise<void> {
  const config = loadConfig(streamsStepSettings, env)
  const networks = networkNames(config.storageNetworks || config.storageNetwork)
  const consumers = networks.flatMap((network) => Object.values(networkConsumers(network)))
  await using link = connectNats({ ...config, name: 'set-up', log, consumers })
  const timeout = AbortSignal.timeout(config.waitSeconds * 1000)
  await link.provision(AbortSignal.any([signal, timeout])).catch((error: Error) => {
    throw timeout.aborted ? new Error(`NATS did not respond within ${config.waitSeconds} s`, { cause: error }) : error
  })
}

export const bucketStepSettings = z.object({
  ...waitSettings,
  ...hotTierSettings,
  // Compose adds it to CORS_ORIGINS. Parsed here, so that an error names the wrong setting.
  PUBLIC_URL: baseUrl().optional().describe('Address that clients use'),
  CORS_ORIGINS: list(z.union([z.literal('*'), origin()]))
    .optional()
    .describe(
      'Browser origins that may use presigned URLs, comma-separated, as for the gateway. Unset: the CORS rule of the bucket stays. A single comma is an empty list: the rule is removed',
    ),
})

/** Creates the bucket of the hot tier and its CORS rules. */
export async function setUpBucket({ env, log, signal }: CommandContext): Promise<void> {
  const config = loadConfig(bucketStepSettings, env)
  const wait = { seconds: config.waitSeconds, what: 'S3', isOutage: isUnanswered, log, signal }
  await untilAvailable(() => prepareBucket(bucketOf(config), config.corsOrigins), wait).catch((error: Error) => {
    throw new Error(`the bucket ${config.s3Bucket} cannot be created or used: ${error.name}: ${error.message}`, {
      cause: error,
    })
  })
  const { s3Bucket: bucket, corsOrigins: origins } = config
  if (origins === undefined) log.info({ bucket }, 'CORS rule unchanged: CORS_ORIGINS is not set')
  else log.info({ bucket, origins }, origins.length === 0 ? 'CORS rule removed' : 'CORS rule set')
}

export function bucketOf(config: HotTierConfig): Bucket {
  const { s3Endpoint: endpoint, s3Region: region, s3Bucket: bucket, s3ForcePathStyle: forcePathStyle } = config
  return { endpoint, region, bucket, forcePathStyle, credentials: findCredentials(config) }
}

/** True without a response and for a 5xx. A retry after a 4xx would fail again. */
function isUnanswered(error: unknown): boolean {
  const { status, name } = error as { status?: number; name?: string }
  return status === undefined ? name !== 'CredentialsProviderError' : status >= 500
}
