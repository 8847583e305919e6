import type { DataLayout } from '../data-directory/data-layout.ts'
import type { Secrets } from '../data-directory/secrets.ts'
import type { Logs } from '../data-directory/stack-logs.ts'
import { startAll } from '../processes/start-all.ts'
import { type Supervised, supervise } from '../processes/supervise.ts'
import { launchNats, type NatsServer } from '../servers/launch-nats.ts'
import { launchS3, type S3Server } from '../servers/launch-s3.ts'
import { launchPostgres, type PostgresServer } from '../servers/postgres/launch-postgres.ts'
import type { ResolvedOptions } from './stack-options.ts'

type ServersOptions = {
  options: ResolvedOptions
  layout: DataLayout
  logs: Logs
  s3Keys: Secrets['s3']
  onRestart: () => Promise<void>
}

export type Servers = AsyncDisposable & {
  postgres: Supervised<PostgresServer>
  nats: Supervised<NatsServer>
  s3: Supervised<S3Server>
}

export async function startServers({ options, layout, logs, s3Keys, onRestart }: ServersOptions): Promise<Servers> {
  const { host: env, durable, out: report } = options
  const [postgresLog, natsLog, s3Log] = ['postgres', 'nats', 's3'].map((name) => logs.writer(name))
  const postgres = supervise<PostgresServer>({
    name: 'postgres',
    launch: (previous) =>
      launchPostgres({ dataDir: layout.postgres, port: previous?.port, durable, env, log: postgresLog }),
    onRestart,
    report,
  })
  const nats = supervise<NatsServer>({
    name: 'nats',
    launch: (previous) => launchNats({ dataDir: layout.nats, port: previous?.port, env, log: natsLog }),
    onRestart,
    report,
  })
  const s3 = supervise<S3Server>({
    name: 's3',
    launch: (previous) => launchS3({ dataDir: layout.s3, port: previous?.port, ...s3Keys, env, log: s3Log }),
    onRestart,
    report,
  })
  const all = await startAll<Supervised<PostgresServer | NatsServer | S3Server>>([postgres, nats, s3])
  const { home } = (await postgres).current()
  if (home !== layout.postgres) report(`Postgres keeps its data in ${home}: its user cannot access ${layout.postgres}`)
  return {
    postgres: await postgres,
    nats: await nats,
    s3: await s3,
    async [Symbol.asyncDispose]() {
      await Promise.all(all.map((server) => server[Symbol.asyncDispose]()))
    },
  }
}
