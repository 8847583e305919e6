import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'
import type { Log } from '../telemetry/logger.ts'

const LOCK_POLL_MS = 250
const TELL_EVERY_MS = 10_000
const CONNECT_TIMEOUT_MS = 5_000
const KEEP_ALIVE_MS = 30_000

interface SessionOptions {
  url: string
  schema: string
  log?: Log | undefined
}

/** The only connection of a migration job. It holds the lock and runs the steps, so both stop together. */
interface MigrationSession extends AsyncDisposable {
  client: pg.Client
  /** The process ID of its Postgres backend. */
  pid: number
}

/** Connects, and waits until no other job migrates this schema. Rejects if the URL leads to a pooler. */
export async function openMigrationSession({ url, schema, log }: SessionOptions): Promise<MigrationSession> {
  const mark = randomUUID()
  const session = `-c search_path=${schema} -c statement_timeout=0 -c client_connection_check_interval=1000`
  const options = `${session} -c idle_session_timeout=0 -c tideport.migration=${mark}`
  const client = new pg.Client({
    connectionString: url,
    application_name: `migrate-${schema}`,
    options,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    // A step may take hours, so only keepalives detect a lost server.
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEP_ALIVE_MS,
  })
  client.on('error', () => {}) // The running statement rejects with the error.
  await using starting = new AsyncDisposableStack()
  starting.defer(() => client.end())
  await client.connect().catch((error: Error) => {
    throw /startup parameter/.test(error.message) ? throughPooler(error) : error
  })
  const { rows } = await client.query(
    `select current_setting('tideport.migration', true) as mark, pg_backend_pid() as pid`,
  )
  if (rows[0].mark !== mark) throw throughPooler()
  await takeTurn(client, schema, log)
  const opened = starting.move()
  return { client, pid: rows[0].pid, [Symbol.asyncDispose]: () => opened.disposeAsync() }
}

/** Polls, because the snapshot of a waiting statement would block `create index concurrently` of the other job. */
async function takeTurn(client: pg.Client, schema: string, log: Log | undefined): Promise<void> {
  for (let waitedMs = 0; ; waitedMs += LOCK_POLL_MS) {
    const { rows } = await client.query('select pg_try_advisory_lock(hashtextextended($1, 0)) as held', [
      `migrate ${schema}`,
    ])
    if (rows[0].held) return
    if (waitedMs % TELL_EVERY_MS === 0) log?.info({ schema }, 'another migration job is running, waiting for it')
    await delay(LOCK_POLL_MS)
  }
}

const throughPooler = (cause?: Error) =>
  new Error('MIGRATION_DATABASE_URL must connect to Postgres directly, not through a pooler', { cause })
