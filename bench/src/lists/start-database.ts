import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { databaseUrls } from '@tideport/dev-stack/provisioning/database-urls'
import { removeCluster } from '@tideport/dev-stack/servers/postgres/cluster-home'
import { launchPostgres } from '@tideport/dev-stack/servers/postgres/launch-postgres'
import { type FilesDb, migrations, schema } from '@tideport/file-lifecycle/state/tables'
import { openDatabase } from '@tideport/service-kit/postgres/database'
import { migrate } from '@tideport/service-kit/postgres/migrate'
import { createLogger } from '@tideport/service-kit/telemetry/logger'
import { makePassword } from '@tideport/set-up/make-secrets'
import { prepareDatabase } from '@tideport/set-up/prepare-database'

export async function startDatabase() {
  await using starting = new AsyncDisposableStack()
  const dataDir = await mkdtemp(join(tmpdir(), 'tideport-bench-'))
  starting.defer(() => rm(dataDir, { recursive: true, force: true }))
  starting.defer(() => removeCluster(dataDir))
  const postgres = starting.use(await launchPostgres({ dataDir }))
  const urls = databaseUrls(postgres.url, { auth: makePassword(), files: makePassword(), webhooks: makePassword() })
  await prepareDatabase(postgres.url, urls)
  await migrate({ url: urls.files, schema, folder: migrations })
  const log = createLogger({ service: 'bench', level: 'silent' })
  const options = { databaseUrl: urls.files, databasePoolSize: 32, schema, name: 'bench', log }
  const db = starting.use(openDatabase<FilesDb>({ ...options, statementTimeoutMs: 600_000 }))
  const started = starting.move()
  return { db, [Symbol.asyncDispose]: () => started.disposeAsync() }
}
