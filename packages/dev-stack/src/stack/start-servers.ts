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
  secrets: Secrets
  onRestart: () => Promise<void>
}

/** The running servers. Those that the operator runs are missing. */
export type Servers = AsyncDisposable & {
  postgres: Supervised<PostgresServer> | undefined
  nats: Supervised<NatsServer> | undefined
  s3: Supervised<S3Server> | undefined
}

export async function startServers(started: ServersOptions): Promise<Servers> {
  const { options, layout, logs, secrets, onRestart } = started
  const { host: env, durable, production, out: report } = options
  const { databaseUrl, natsUrl, s3: store } = production?.external ?? {}
  const common = (name: string) => ({ env, log: logs.writer(name) })
  const postgres = databaseUrl === undefined && startPostgres()
  const nats = natsUrl === undefined && startNats()
  const s3 = store === undefined && startS3()

  function startPostgres() {
    const own = { dataDir: layout.postgres, durable, ...common('postgres') }
    const launch = (previous?: PostgresServer) => launchPostgres({ ...own, port: previous?.port })
    return supervise<PostgresServer>({ name: 'postgres', launch, onRestart, report })
  }
  function startNats() {
    // Without a login, every user of the machine could publish events. Development needs none.
    const own = { dataDir: layout.nats, ...common('nats'), login: production && natsLogin(secrets) }
    const launch = (previous?: NatsServer) => launchNats({ ...own, port: previous?.port })
    return supervise<NatsServer>({ name: 'nats', launch, onRestart, report })
  }
  function startS3() {
    const own = { dataDir: layout.s3, ...secrets.s3, ...common('s3') }
    const launch = (previous?: S3Server) => launchS3({ ...own, port: previous?.port })
    return supervise<S3Server>({ name: 's3', launch, onRestart, report })
  }

  const starts = [postgres, nats, s3].filter((start) => start !== false)
  const all = await startAll<Supervised<PostgresServer | NatsServer | S3Server>>(starts)
  const servers = {
    postgres: (await postgres) || undefined,
    nats: (await nats) || undefined,
    s3: (await s3) || undefined,
  }
  const home = servers.postgres?.current().home ?? layout.postgres
  if (home !== layout.postgres) report(`Postgres keeps its data in ${home}: its user cannot access ${layout.postgres}`)
  return {
    ...servers,
    async [Symbol.asyncDispose]() {
      await Promise.all(all.map((server) => server[Symbol.asyncDispose]()))
    },
  }
}

const natsLogin = (secrets: Secrets) => ({ user: 'tideport', password: secrets.nats })
