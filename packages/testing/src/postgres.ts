import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { openDatabase } from '@tideport/service-kit/postgres/database'
import { migrate } from '@tideport/service-kit/postgres/migrate'
import type { Log } from '@tideport/service-kit/telemetry/logger'
import type { Kysely } from 'kysely'
import pg from 'pg'
import { provided, type SharedPostgres } from './provided.ts'

const IN_USE = '55006'

/** Timeouts for a pool: on a busy machine, a slow Postgres must not count as unavailable. */
export const longTimeouts = { connectTimeoutMs: 60_000, queueTimeoutMs: 60_000, statementTimeoutMs: 60_000 }

const admins = new Map<string, pg.Pool>()
const templates = new Map<string, Promise<string>>()

type Queryable = Pick<pg.Pool, 'query'>

export interface TestDatabaseOptions {
  /** Name of the schema and of the role that owns it. */
  schema: string
  /** Folder of `.sql` migrations. Without it, the schema is empty. */
  migrations?: URL
}

/** Clones a template with these migrations in tens of milliseconds. Use one clone per test file. */
export async function createTestDatabase(options: TestDatabaseOptions) {
  const { schema } = options
  const server = provided('postgres')
  const admin = adminOf(server)
  const template = await templateOf(server, options)
  const name = `test_${crypto.randomUUID().replaceAll('-', '')}`
  await admin.query(`create database ${name} template ${template} strategy file_copy`)
  await allowExtensions(admin, name, schema)
  const url = databaseUrl(server, name, schema)
  const pool = new pg.Pool({ connectionString: url, max: 2, options: `-c search_path=${schema}` })
  // A forced drop emits an error on connections that are still closing. Without a listener, the process would crash.
  pool.on('connect', (client) => client.on('error', () => {}))

  async function dispose() {
    await pool.end()
    await dropDatabase(admin, name)
  }

  return {
    url,
    adminUrl: databaseUrl(server, name),
    /** Runs one statement as the schema's role and returns its rows: column names as in SQL, bigint as text. */
    async sql<Row extends pg.QueryResultRow = pg.QueryResultRow>(text: string, values: unknown[] = []): Promise<Row[]> {
      const { rows } = await pool.query<Row>(text, values)
      return rows
    },
    /** Opens a pool for the schema's role. Dispose of the pool before the database. */
    open<DB>({ log, poolSize = 10 }: { log: Log; poolSize?: number }): Kysely<DB> {
      return openDatabase<DB>({
        databaseUrl: url,
        databasePoolSize: poolSize,
        schema,
        name: 'test',
        log,
        ...longTimeouts,
      })
    },
    /** Closes this object's connections and drops the database, even if other connections are open. */
    dispose,
    [Symbol.asyncDispose]: dispose,
  }
}

export type TestDatabase = Awaited<ReturnType<typeof createTestDatabase>>

/** One admin session per worker, because a session costs as much as a clone. It does not keep the process running. */
function adminOf({ adminUrl }: SharedPostgres): pg.Pool {
  const known = admins.get(adminUrl)
  if (known !== undefined) return known
  const admin = new pg.Pool({ connectionString: adminUrl, max: 1, idleTimeoutMillis: 0, allowExitOnIdle: true })
  admin.on('error', () => {}) // the server may exit first
  admins.set(adminUrl, admin)
  return admin
}

function templateOf(server: SharedPostgres, options: TestDatabaseOptions): Promise<string> {
  const key = [server.adminUrl, options.schema, options.migrations].join()
  const known = templates.get(key)
  if (known !== undefined) return known
  const template = ensureTemplate(server, options)
  templates.set(key, template)
  return template
}

/** Returns the template's name, and creates a missing one. A draft is renamed only when it is complete. */
async function ensureTemplate(server: SharedPostgres, { schema, migrations }: TestDatabaseOptions): Promise<string> {
  const template = `template_${schema}_${await hashOf(migrations)}`
  const admin = await adminOf(server).connect()
  try {
    await admin.query('select pg_advisory_lock(1)') // workers are processes: one creates the template, the others wait
    const { rowCount } = await admin.query('select from pg_database where datname = $1', [template])
    if (rowCount) return template
    const draft = `${template}_draft`
    await admin.query(`drop database if exists ${draft} with (force)`)
    await admin.query(`create database ${draft}`)
    await createRole(admin, schema, server.rolePassword)
    await createSchema(databaseUrl(server, draft), schema)
    await allowExtensions(admin, draft, schema)
    if (migrations) await migrate({ url: databaseUrl(server, draft, schema), schema, folder: migrations })
    await admin.query(`alter database ${draft} rename to ${template}`)
    return template
  } finally {
    await admin.query('select pg_advisory_unlock(1)')
    admin.release()
  }
}

/** Waits for closing connections, because a terminated one would crash the test process. Terminates all others. */
async function dropDatabase(admin: Queryable, name: string): Promise<void> {
  try {
    await admin.query(`drop database if exists ${name}`)
  } catch (error) {
    if ((error as { code?: string }).code !== IN_USE) throw error
    await admin.query(`drop database if exists ${name} with (force)`)
  }
}

async function createRole(admin: Queryable, role: string, password: string) {
  const { rowCount } = await admin.query('select from pg_roles where rolname = $1', [role])
  if (!rowCount) await admin.query(`create role ${role} login password ${pg.escapeLiteral(password)}`)
}

async function createSchema(url: string, schema: string) {
  const client = new pg.Client(url)
  await client.connect()
  await client.query(`create schema ${schema} authorization ${schema}`)
  await client.end()
}

/** Lets migrations create trusted extensions. A database does not inherit this permission from its template. */
async function allowExtensions(admin: Queryable, database: string, role: string) {
  await admin.query(`grant create on database ${database} to ${role}`)
}

function databaseUrl(server: SharedPostgres, database: string, role?: string): string {
  const url = new URL(server.adminUrl)
  url.pathname = `/${database}`
  if (role) Object.assign(url, { username: role, password: server.rolePassword })
  return url.href
}

async function hashOf(folder: URL | undefined): Promise<string> {
  const hash = createHash('sha256')
  const files = folder ? (await readdir(folder)).filter((file) => file.endsWith('.sql')).toSorted() : []
  for (const file of files) hash.update(`${file}\0`).update(await readFile(new URL(file, folder)))
  return hash.digest('hex').slice(0, 16)
}
