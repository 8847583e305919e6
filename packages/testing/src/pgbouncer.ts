import { accessSync, constants } from 'node:fs'
import { chmod, chown, writeFile } from 'node:fs/promises'
import { delimiter, join } from 'node:path'
import { onAPort } from '@tideport/dev-stack/ports/on-a-port'
import { awaitReady } from '@tideport/dev-stack/processes/await-ready'
import { runChild } from '@tideport/dev-stack/processes/run-child'
import { unprivilegedUser } from '@tideport/dev-stack/servers/postgres/unprivileged-user'
import pg from 'pg'
import { createTemporaryDirectory } from './temporary-directory.ts'

/** Path of pgbouncer on PATH or in the sbin directories of Debian's package; undefined if not installed. */
export const pgbouncerBinary = findBinary()

export interface PgbouncerOptions {
  /** URLs of one database, one for each role that may connect. */
  urls: readonly string[]
  /** Maximum number of connections to Postgres per role. */
  poolSize: number
}

/** pgbouncer on 127.0.0.1, in transaction mode and with the settings that docs/operate/size.md requires. */
export async function startPgbouncer({ urls, poolSize }: PgbouncerOptions) {
  if (pgbouncerBinary === undefined) throw new Error('pgbouncer is not installed')
  const command = pgbouncerBinary
  await using starting = new AsyncDisposableStack()
  const { path: directory } = starting.use(await createTemporaryDirectory('pgbouncer'))
  const user = await unprivilegedUser()
  const [configuration, users] = [join(directory, 'pgbouncer.ini'), join(directory, 'users.txt')]
  const first = new URL(urls[0] as string)
  await writeFile(users, urls.map((url) => userLine(new URL(url))).join(''), { mode: 0o600 })
  const { port, ...child } = await onAPort(undefined, async (port) => {
    await writeFile(configuration, configurationOf(first, { port, users, poolSize }), { mode: 0o600 })
    await chmod(directory, 0o711)
    if (user) for (const file of [configuration, users]) await chown(file, user.uid, user.gid)
    const child = await runChild({
      command,
      args: [configuration],
      cwd: directory,
      env: {},
      user,
      stopSignal: 'SIGTERM',
      stopGraceMs: 2_000,
      deathSignal: 'SIGKILL',
      recordFile: join(directory, 'process.json'),
    })
    await awaitReady('pgbouncer', child, () => answers(through(first.href, port)), 30_000)
    return { ...child, port }
  })
  starting.use(child)
  const started = starting.move()
  return {
    port,
    through: (url: string) => through(url, port),
    [Symbol.asyncDispose]: () => started.disposeAsync(),
  }
}

function findBinary(): string | undefined {
  // biome-ignore lint/style/noProcessEnv: where programs are is the environment's to say
  const directories = [...(process.env.PATH ?? '').split(delimiter), '/usr/sbin', '/usr/local/sbin']
  return directories.map((directory) => join(directory, 'pgbouncer')).find(isExecutable)
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK)
    return true
  } catch {
    return false
  }
}

const userLine = ({ username, password }: URL) => `"${username}" "${decodeURIComponent(password)}"\n`

const configurationOf = (
  { hostname, port: postgresPort, pathname }: URL,
  { port, users, poolSize }: { port: number; users: string; poolSize: number },
) => `
[databases]
${pathname.slice(1)} = host=${hostname} port=${postgresPort}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = plain
auth_file = ${users}
pool_mode = transaction
default_pool_size = ${poolSize}
max_client_conn = 2000
server_login_retry = 1
query_wait_timeout = 10
`

const through = (url: string, port: number) =>
  Object.assign(new URL(url), { hostname: '127.0.0.1', port: String(port) }).href

async function answers(connectionString: string): Promise<boolean> {
  const client = new pg.Client({ connectionString, connectionTimeoutMillis: 2_000 })
  client.on('error', () => {})
  await client.connect()
  await client.query('select 1').finally(() => client.end())
  return true
}
