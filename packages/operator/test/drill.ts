import { createHash, randomBytes, randomUUID } from 'node:crypto'
import { readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { readNetworks } from '@tideport/file-lifecycle/copies/network-settings'
import { openNetworks } from '@tideport/file-lifecycle/copies/networks'
import { openBytes } from '@tideport/file-lifecycle/copies/open-bytes'
import { withCopies } from '@tideport/file-lifecycle/state/file-copies'
import { type FilesDb, schema } from '@tideport/file-lifecycle/state/tables'
import { log, must, never } from '@tideport/file-lifecycle/testing/bundle'
import { networksEnvironment } from '@tideport/file-lifecycle/testing/networks-environment'
import { openHotTier } from '@tideport/hot-tier/hot-tier'
import { openDatabase } from '@tideport/service-kit/postgres/database'
import { createMetrics } from '@tideport/service-kit/telemetry/metrics'
import { withClient } from '@tideport/set-up/prepare-database'
import { longTimeouts } from '@tideport/testing/postgres'
import { createBucket, s3Environment } from '@tideport/testing/s3'
import { createTemporaryDirectory } from '@tideport/testing/temporary-directory'
import { expect } from 'vitest'
import { backup } from '../src/back-up/backup.ts'
import { makeSecrets } from '../src/make-secrets.ts'
import { setUp } from '../src/set-up/set-up.ts'
import { setupInstallation } from './installation.ts'

const key = () => randomBytes(32).toString('base64')
const asRole = (url: string, role: string) => Object.assign(new URL(url), { username: role }).href
const inDatabase = (url: string, name: string) => Object.assign(new URL(url), { pathname: `/${name}` }).href

/** Settings of three schemas in one database. */
const databases = (url: string) => ({
  DATABASE_URL: url,
  AUTH_DATABASE_URL: asRole(url, 'auth'),
  FILES_DATABASE_URL: url,
  WEBHOOKS_DATABASE_URL: asRole(url, 'webhooks'),
})

/** An installation with all schemas and two networks, a folder for its backups, and an age identity. */
export async function setupDrill() {
  await using parts = new AsyncDisposableStack()
  const t = parts.use(await setupInstallation('disk-a', 'disk-b'))
  const dir = parts.use(await createTemporaryDirectory('backup')).path
  const oldKey = key()
  const env = { ...databases(t.database.url), WEBHOOK_SECRET_KEYS: oldKey, EXPORT_SECRET_KEYS: key() }
  const setUpEnv = { ...env, ADMIN_DATABASE_URL: t.database.adminUrl }
  expect((await t.run(setUp, ['database', 'migrations'], setUpEnv)).failure).toBeNull()
  const { lines } = await t.run(makeSecrets, ['--format', 'age'])
  const identity = join(dir, 'identity')
  await writeFile(identity, `${lines.join('\n')}\n`)
  const recipient = must(/age1\w+/.exec(lines.join())).toString()
  const to = (name: string) => join(dir, name)
  const opened = parts.move()
  return {
    t,
    env,
    oldKey,
    identity,
    recipient,
    to,
    backUp: (name: string, ...args: string[]) => t.run(backup, ['--to', to(name), ...args], env),
    /** Settings of a bucket as the target. */
    bucketTarget: {
      BACKUP_S3_ENDPOINT: t.bucket.settings.endpoint,
      BACKUP_S3_FORCE_PATH_STYLE: 'true',
      BACKUP_AWS_ACCESS_KEY_ID: t.bucket.settings.accessKeyId,
      BACKUP_AWS_SECRET_ACCESS_KEY: t.bucket.settings.secretAccessKey,
    },
    objectsIn: async (name: string) =>
      (await readdir(to(name), { recursive: true, withFileTypes: true })).filter(
        (entry) => entry.isFile() && entry.parentPath.includes('/objects'),
      ).length,

    /** Empty servers: a database, a bucket, and two folders. */
    async emptyServers() {
      await using parts = new AsyncDisposableStack()
      const bucket = parts.adopt(await createBucket(), (one) => one.dispose())
      const folder = parts.use(await createTemporaryDirectory('restored')).path
      const name = `test_${randomUUID().replaceAll('-', '')}`
      const admin = inDatabase(t.database.adminUrl, name)
      parts.defer(() =>
        withClient(t.database.adminUrl, async (client) => {
          await client.query(`drop database if exists ${name} with (force)`)
        }),
      )
      const networks = networksEnvironment({
        'disk-a': { dir: join(folder, 'a') },
        'disk-b': { dir: join(folder, 'b') },
      })
      const own = {
        ...{ SERVICE_ENV: 'development', SETTLE_SECONDS: '3600', ADMIN_DATABASE_URL: admin },
        ...{ ...s3Environment(bucket.settings), ...databases(inDatabase(t.database.url, name)), ...networks },
        ...{ WEBHOOK_SECRET_KEYS: key(), EXPORT_SECRET_KEYS: key() },
      }
      const opened = parts.move()
      return { env: own, admin, bucket, folder, [Symbol.asyncDispose]: () => opened.disposeAsync() }
    },
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  }
}

export type Drill = Awaited<ReturnType<typeof setupDrill>>

/** All rows that a restore keeps. */
export async function rowsOf(url: string) {
  return await withClient(url, async (client) => {
    const { rows: tables } = await client.query(
      `select schemaname || '.' || tablename as name from pg_tables
       where schemaname in ('auth', 'files', 'webhooks') and tablename !~ 'schema_migration|cursor_key' order by 1`,
    )
    const found: Record<string, unknown[]> = {}
    for (const { name } of tables) {
      const { rows } = await client.query(
        `select (to_jsonb(one) - 'written_by' - 'secret_encrypted')::text as row from ${name} one order by 1`,
      )
      found[name] = rows.map(({ row }) => row)
    }
    return found
  })
}

/** The definitions that a restore removes for a while. */
export async function definitionsOf(url: string) {
  return await withClient(url, async (client) => {
    const { rows } = await client.query(
      `select indexdef as one from pg_indexes where schemaname in ('auth', 'files', 'webhooks')
       union all select conrelid::regclass || conname || pg_get_constraintdef(oid) from pg_constraint
         where connamespace in ('auth'::regnamespace, 'files'::regnamespace, 'webhooks'::regnamespace)
       union all select tgrelid::regclass || tgname || tgenabled::text from pg_trigger where not tgisinternal
       order by 1`,
    )
    return rows.map(({ one }) => one)
  })
}

/** The SHA-256 of each file that the installation can read. */
export async function readAll(own: Record<string, string | undefined>) {
  await using db = openDatabase<FilesDb>({
    ...{ databaseUrl: own.DATABASE_URL as string, databasePoolSize: 4, schema, name: 'test', log },
    ...longTimeouts,
  })
  const storageNetworks = readNetworks(own.STORAGE_NETWORKS ?? '', own)
  const config = { storageNetworks, serviceEnv: 'development', embeddedNetworkAcceptSingleCopy: true }
  const networks = await openNetworks(config, db, createMetrics('test'))
  using hotTier = openHotTier({
    ...{ s3Endpoint: own.S3_ENDPOINT, s3Region: 'us-east-1', s3Bucket: own.S3_BUCKET as string },
    ...{ s3ForcePathStyle: true, awsAccessKeyId: own.AWS_ACCESS_KEY_ID },
    awsSecretAccessKey: own.AWS_SECRET_ACCESS_KEY,
  })
  const found: Record<string, string> = {}
  for (const file of await db.selectFrom('file').selectAll().where('confirmedAt', 'is not', null).execute()) {
    const { bytes } = await openBytes({ db, networks, hotTier }, await withCopies(db, file), undefined, never)
    found[file.id] = createHash('sha256')
      .update(await buffer(bytes))
      .digest('hex')
  }
  return found
}
