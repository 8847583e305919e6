import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { databaseUrl, databaseUrls } from '@tideport/dev-stack/provisioning/database-urls'
import { removeCluster } from '@tideport/dev-stack/servers/postgres/cluster-home'
import { launchPostgres } from '@tideport/dev-stack/servers/postgres/launch-postgres'
import { migrations, schema } from '@tideport/file-lifecycle/state/migrations'
import type { FilesDb } from '@tideport/file-lifecycle/state/tables'
import { openDatabase } from '@tideport/service-kit/postgres/database'
import { migrate } from '@tideport/service-kit/postgres/migrate'
import { createLogger } from '@tideport/service-kit/telemetry/logger'
import { makePassword } from '@tideport/set-up/make-secrets'
import { prepareDatabase } from '@tideport/set-up/prepare-database'

const files = { schema, migrations } as const

/**
 * A Postgres of its own, durable as in production, with a role and an empty schema for each owner; gone on disposal.
 */
export async function startServer() {
  await using starting = new AsyncDisposableStack()
  const dataDir = await mkdtemp(join(tmpdir(), 'tideport-bench-'))
  starting.defer(() => rm(dataDir, { recursive: true, force: true }))
  starting.defer(() => removeCluster(dataDir))
  const postgres = starting.use(await launchPostgres({ dataDir }))
  const passwords = { auth: makePassword(), files: makePassword(), webhooks: makePassword() }
  const urls = databaseUrls(postgres.url, passwords)
  await prepareDatabase(postgres.url, urls)
  const started = starting.move()
  return {
    urls,
    adminUrl: postgres.url,
    /** Of the server; its backends are its children. */
    pid: postgres.pid as number,
    [Symbol.asyncDispose]: () => started.disposeAsync(),
  }
}

export type BenchServer = Awaited<ReturnType<typeof startServer>>

/** Such a Postgres with one schema up to date, that of files unless told. */
export async function startDatabase<DB = FilesDb>(owner: { schema: 'files' | 'webhooks'; migrations: URL } = files) {
  await using starting = new AsyncDisposableStack()
  const { urls, adminUrl, pid } = starting.use(await startServer())
  const url = urls[owner.schema]
  await migrate({ url, schema: owner.schema, folder: owner.migrations })
  const log = createLogger({ service: 'bench', level: 'silent' })
  const options = { databaseUrl: url, databasePoolSize: 32, schema: owner.schema, name: 'bench', log }
  const db = starting.use(openDatabase<DB>({ ...options, statementTimeoutMs: 600_000 }))
  const started = starting.move()
  return {
    url,
    webhooksUrl: urls.webhooks,
    adminUrl: databaseUrl(adminUrl),
    pid,
    db,
    [Symbol.asyncDispose]: () => started.disposeAsync(),
  }
}

export type BenchDatabase = Awaited<ReturnType<typeof startDatabase<FilesDb>>>
