import { fileURLToPath } from 'node:url'
import type { ExternalServers, ExternalStore } from '@tideport/dev-stack/servers/external-servers'
import { settingNames } from '@tideport/dev-stack/services/service-environment'
import { ConfigError, loadConfig } from '@tideport/service-kit/config/config'
import { misspelledSettings } from '@tideport/service-kit/config/misspelled'
import { baseUrl, boolean, port, secret, url } from '@tideport/service-kit/config/setting'
import { z } from 'zod'
import type { Environment, Options } from './options.ts'

/** The settings of this program. The settings of the services are checked by the services. */
const settings = z.object({
  DATABASE_URL: secret(url(['postgres', 'postgresql']).optional()),
  NATS_URL: secret(z.string().optional()),
  S3_ENDPOINT: baseUrl().optional(),
  S3_REGION: z.string().default('us-east-1'),
  S3_BUCKET: z.string().min(3).max(63).optional(),
  S3_FORCE_PATH_STYLE: boolean().default(false),
  AWS_ACCESS_KEY_ID: z.string().optional(),
  AWS_SECRET_ACCESS_KEY: secret(z.string().optional()),
  ADMIN_PORT: port().default(9090),
})

/** Of `options.ts`, of the image, and of dev-stack. */
const otherNames =
  'TIDEPORT_DATA PORT S3_API_PORT HOST NATS_SERVER_BIN VERSITYGW_BIN TIDEPORT_CACHE_DIR TIDEPORT_RELEASES_URL'.split(
    ' ',
  )

export type Settings = { external: ExternalServers; adminPort: number }

/** Throws `ConfigError` with every fault, which includes misspelled names. */
export function readSettings(env: Environment): Settings {
  const config = loadConfig(settings, env)
  const names = [...Object.keys(settings.shape), ...otherNames, ...settingNames]
  const faults = misspelledSettings(env, names)
  const { databaseUrl, natsUrl, s3Endpoint, s3Bucket, awsAccessKeyId, awsSecretAccessKey } = config
  let s3: ExternalStore | undefined
  if (s3Endpoint !== undefined) {
    const missing = {
      S3_BUCKET: s3Bucket,
      AWS_ACCESS_KEY_ID: awsAccessKeyId,
      AWS_SECRET_ACCESS_KEY: awsSecretAccessKey,
    }
    for (const [name, value] of Object.entries(missing)) {
      if (value === undefined) faults.push(`${name}: is required together with S3_ENDPOINT`)
    }
    s3 = {
      endpoint: s3Endpoint,
      region: config.s3Region,
      bucket: s3Bucket ?? '',
      forcePathStyle: config.s3ForcePathStyle,
      accessKeyId: awsAccessKeyId ?? '',
      secretAccessKey: awsSecretAccessKey ?? '',
    }
  }
  if (faults.length > 0) throw new ConfigError(faults)
  return { external: { databaseUrl, natsUrl, s3 }, adminPort: config.adminPort }
}

/** Throws `ConfigError`. */
export function stackOptionsOf({ dataDir, port, s3Port, host, keyFile }: Options, env: Environment) {
  const { external, adminPort } = readSettings(env)
  const consoleDir = env.CONSOLE_DIR || fileURLToPath(new URL('../../../apps/console/dist', import.meta.url))
  return { adminPort, dataDir, port, s3Port, production: { host, consoleDir, external, keyFile } }
}
