import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { chown, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { promisify } from 'node:util'
import pg from 'pg'
import { exists } from '../../file-system/exists.ts'
import { StartError } from '../../processes/await-ready.ts'
import { bareEnvironment, hostEnvironment } from '../../processes/host-environment.ts'
import { claimDataDir, launchServer, type RunningServer, type ServerOptions } from '../launch-server.ts'
import { clusterHome } from './cluster-home.ts'
import { postgresBinaries } from './postgres-binaries.ts'
import { clearStaleLock } from './postmaster-lock.ts'
import { type SystemUser, unprivilegedUser } from './unprivileged-user.ts'

interface PostgresOptions extends ServerOptions {
  /** False disables durability after a power failure, for fast tests. Data always survives a kill -9. */
  durable?: boolean | undefined
}

/** A running Postgres on 127.0.0.1: UTF-8, password login only, up to 300 connections, no Unix socket. */
export type PostgresServer = RunningServer & {
  /** `postgres://postgres:<password>@127.0.0.1:<port>/postgres`, for the superuser. Contains a secret. */
  readonly url: string
  /** Actual location of the data: outside `dataDir` if started by root and `nobody` cannot enter `dataDir`. */
  readonly home: string
}

const killedServerLingersMs = 10_000

/** Creates a cluster on the first start. Runs as `nobody` when started by root. */
export async function launchPostgres({ durable = true, ...options }: PostgresOptions): Promise<PostgresServer> {
  const environment = options.env ?? hostEnvironment()
  const env = { ...bareEnvironment(environment), LC_ALL: 'C' }
  const user = await unprivilegedUser()
  const home = await clusterHome(resolve(options.dataDir), user)
  await claimDataDir(options, 'SIGINT')
  const { initdb, postgres, version } = await postgresBinaries(environment, user)
  await assertMajor(join(home, 'cluster'), version)
  const password = await createCluster({ home, initdb, env, user, durable })
  await clearStaleLock(join(home, 'cluster'))
  const urlOn = (port: number) => `postgres://postgres:${password}@127.0.0.1:${port}/postgres`
  const server = await whileKilledServerLingers(() =>
    launchServer(options, (port) => ({
      name: 'Postgres',
      command: postgres,
      args: serverArguments(join(home, 'cluster'), port, durable),
      cwd: home,
      env,
      user,
      isReady: () => takesQueries(urlOn(port)),
      readyTimeoutMs: 60_000,
      stopSignal: 'SIGINT', // "fast" shutdown: rolls back open transactions, and does not wait for clients
      stopGraceMs: 15_000,
    })),
  )
  return { ...server, url: urlOn(server.port), home }
}

/** Postgres itself would only report that the files are incompatible. */
async function assertMajor(cluster: string, version: string): Promise<void> {
  const found = await readFile(join(cluster, 'PG_VERSION'), 'utf8').catch(() => undefined)
  const [major] = version.split('.')
  if (found === undefined || found.trim() === major) return
  throw new Error(
    `${cluster} was created by Postgres ${found.trim()}, but this version of Tideport has Postgres ${major}. ` +
      'Start the previous version, back up with it, and restore the backup into an empty data directory.',
  )
}

function serverArguments(cluster: string, port: number, durable: boolean): string[] {
  const settings: Record<string, string> = {
    listen_addresses: '127.0.0.1',
    unix_socket_directories: '',
    max_connections: '300',
    timezone: 'UTC',
    log_timezone: 'UTC',
    // synchronous_commit stays on, because commits only in the server's memory are lost when it is killed.
    ...(durable ? {} : { fsync: 'off', full_page_writes: 'off' }),
  }
  const flags = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])
  return ['-D', cluster, '-p', String(port), ...flags]
}

async function takesQueries(connectionString: string): Promise<boolean> {
  const client = new pg.Client({ connectionString, connectionTimeoutMillis: 2_000 })
  client.on('error', () => {}) // a connection that breaks also rejects the query
  try {
    await client.connect()
    await client.query('select 1')
    return true
  } finally {
    await client.end().catch(() => {})
  }
}

/** Child processes of a server killed with -9 exit after a moment. Until then, a new server cannot start. */
async function whileKilledServerLingers<T>(start: () => Promise<T>): Promise<T> {
  const giveUpAt = Date.now() + killedServerLingersMs
  for (;;) {
    try {
      return await start()
    } catch (error) {
      const lingers = error instanceof StartError && /postmaster\.pid|pre-existing shared memory/.test(error.message)
      if (!lingers || Date.now() > giveUpAt) throw error
      await delay(100)
    }
  }
}

type ClusterOptions = {
  home: string
  initdb: string
  env: Record<string, string>
  user: SystemUser | undefined
  durable: boolean
}

/** Creates the cluster if it is missing or its creation was interrupted. Returns the superuser's password. */
async function createCluster({ home, initdb, env, user, durable }: ClusterOptions): Promise<string> {
  const [cluster, making] = [join(home, 'cluster'), join(home, 'cluster.making')]
  const passwordFile = join(home, 'password')
  if (await exists(cluster)) return readFile(passwordFile, 'utf8')
  await rm(making, { recursive: true, force: true })
  await mkdir(making, { mode: 0o700 })
  const password = randomBytes(24).toString('base64url')
  await writeFile(passwordFile, password, { mode: 0o600 })
  if (user !== undefined) for (const path of [making, passwordFile]) await chown(path, user.uid, user.gid)
  const args = ['--pgdata', making, '--username', 'postgres', '--pwfile', passwordFile, '--auth', 'scram-sha-256']
  const text = ['--encoding', 'UTF8', '--locale', 'C', '--locale-provider', 'builtin', '--builtin-locale', 'C.UTF-8']
  const identity = user === undefined ? {} : { uid: user.uid, gid: user.gid }
  await promisify(execFile)(initdb, [...args, ...text, ...(durable ? [] : ['--no-sync'])], {
    cwd: home,
    env,
    ...identity,
  }).catch((error: Error & { stderr?: string }) => {
    throw new Error(`Postgres could not create its data directory: ${error.stderr || error.message}`, { cause: error })
  })
  if (user !== undefined) await chown(passwordFile, 0, 0) // back to root, so that no other user can read it
  await rename(making, cluster)
  return password
}
