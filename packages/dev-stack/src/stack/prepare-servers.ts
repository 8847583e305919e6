import type { DataLayout } from './data-layout.ts'
import { prepareBucket } from './prepare-bucket.ts'
import { type DatabaseUrls, prepareDatabase } from './prepare-database.ts'
import { runMigrations } from './run-migrations.ts'
import type { Secrets } from './secrets.ts'
import { seedFirstUser } from './seed-first-user.ts'
import type { Logs } from './stack-logs.ts'
import type { ResolvedOptions } from './stack-options.ts'
import type { Servers } from './start-servers.ts'

/** The bucket of the hot tier. */
export const bucket = 'tideport-hot'

type PrepareOptions = {
  servers: Servers
  secrets: Secrets
  layout: DataLayout
  logs: Logs
  options: ResolvedOptions
}

type Prepared = { databaseUrls: DatabaseUrls; firstUserId: string }

/** Brings fresh or older servers to what the services expect: bucket, roles, migrated schemas, a first user. */
export async function prepareServers({ servers, secrets, layout, logs, options }: PrepareOptions): Promise<Prepared> {
  const { servicesDir, checkout: cwd, host, overrides } = options
  const origins = overrides.CORS_ORIGINS ?? host.CORS_ORIGINS ?? ''
  const [databaseUrls] = await Promise.all([
    prepareDatabase(servers.postgres.current().url, secrets.roles),
    prepareBucket(servers.s3.current(), bucket, origins.split(/[\s,]+/).filter(Boolean)),
  ])
  await runMigrations({ databaseUrls, servicesDir, cwd, layout, logs, host })
  return { databaseUrls, firstUserId: await seedFirstUser(databaseUrls.auth) }
}
