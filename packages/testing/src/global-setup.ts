import { chmod } from 'node:fs/promises'
import { join } from 'node:path'
import { serverBinary } from '@tideport/dev-stack/binaries/server-binary'
import { removeCluster } from '@tideport/dev-stack/servers/postgres/cluster-home'
import pg from 'pg'
import type { TestProject } from 'vitest/node'
import { launchPostgres, launchS3 } from './launch.ts'
import { createMemoryDirectory } from './memory-directory.ts'
import type {} from './provided.ts'
import { createTemporaryDirectory } from './temporary-directory.ts'

/** Global setup of the integration tests: one Postgres, in memory where possible, and one versitygw for the run. */
export default async function setup(project: TestProject) {
  await using starting = new AsyncDisposableStack()
  for (const server of ['nats-server', 'versitygw'] as const) await serverBinary(server, { out: console.log })
  const kubo = await serverBinary('ipfs', { out: console.log }).catch((error: Error) => error)
  if (kubo instanceof Error) console.log(`Tests that need an IPFS node are skipped: ${kubo.message}`)
  project.provide('kubo', typeof kubo === 'string')
  const { path: directory } = starting.use(await createTemporaryDirectory('test-servers'))
  // The run clones about 500 databases. On a disk, the file system dominates that time.
  const { path: home } = starting.use(await createMemoryDirectory('test-postgres'))
  await chmod(home, 0o755) // if this process is root, Postgres runs as another user
  const dataDir = join(home, 'data')
  starting.defer(() => removeCluster(dataDir)) // also removes a cluster outside `home`
  const postgres = starting.use(await launchPostgres({ dataDir, durable: false }))
  await keepPlans(postgres.url)
  project.provide('postgres', { adminUrl: postgres.url, rolePassword: crypto.randomUUID() })

  const keys = { accessKeyId: 'test', secretAccessKey: crypto.randomUUID() }
  const s3 = starting.use(await launchS3({ dataDir: join(directory, 's3'), ...keys }))
  project.provide('s3', { endpoint: s3.endpoint, region: s3.region, ...keys })

  const started = starting.move()
  return () => started.disposeAsync()
}

/** Disables autovacuum, which runs at unpredictable times and changes query plans. */
async function keepPlans(url: string): Promise<void> {
  const client = new pg.Client(url)
  await client.connect()
  await client.query('alter system set autovacuum = off')
  await client.query('select pg_reload_conf()')
  await client.end()
}
