import pg from 'pg'

export type Owner = 'auth' | 'files' | 'webhooks'

/** The URL of the database for the owner of each schema. The URLs contain passwords. */
export type DatabaseUrls = Record<Owner, string>

const owners: readonly Owner[] = ['auth', 'files', 'webhooks']

/**
 * Repeatable; sets the passwords. The role of `adminUrl` must be allowed to create roles. Keeps rows out of the server
 * log if it has that right.
 */
export async function prepareDatabase(adminUrl: string, urls: DatabaseUrls): Promise<void> {
  const names = new Set(owners.map((owner) => databaseOf(urls[owner])))
  if (names.size > 1) throw new Error('The three database URLs must name the same database')
  const [database] = [...names] as [string]
  await makeDatabase(adminUrl, database)
  await withClient(onDatabase(adminUrl, database), async (client) => {
    // Concurrent set-ups would change the same catalog rows.
    await client.query(`select pg_advisory_lock(hashtextextended('tideport set-up', 0))`)
    const { rows } = await client.query<Admin>(
      `select rolname as role, rolsuper as "isSuperuser",
        has_parameter_privilege('log_error_verbosity', 'set') as "maySetVerbosity"
      from pg_roles where rolname = current_user`,
    )
    const [admin] = rows as [Admin]
    for (const owner of owners) await prepareOwner(client, owner, new URL(urls[owner]), admin)
    // Migrations of files create trusted extensions of Postgres, for the name search.
    await client.query(
      `grant create on database ${pg.escapeIdentifier(database)} to ${roleOf(new URL(urls.files)).sql}`,
    )
  })
}

/** Creates a database of another program, and the role that owns it. Repeatable; sets the password. */
export async function prepareOwnDatabase(adminUrl: string, url: string): Promise<void> {
  const [role, database] = [roleOf(new URL(url)), databaseOf(url)]
  await withClient(adminUrl, (client) => makeRole(client, new URL(url)))
  await makeDatabase(adminUrl, database)
  await withClient(adminUrl, (client) =>
    client.query(`alter database ${pg.escapeIdentifier(database)} owner to ${role.sql}`),
  )
}

/** The database is tried before the maintenance database, which its owner may not be allowed to use. */
async function makeDatabase(adminUrl: string, database: string): Promise<void> {
  try {
    return await withClient(onDatabase(adminUrl, database), async () => {})
  } catch (error) {
    if ((error as { code?: unknown }).code !== '3D000') throw error
  }
  const other = databaseOf(adminUrl) === database ? onDatabase(adminUrl, 'postgres') : adminUrl
  await withClient(other, async (client) => {
    await client.query(`create database ${pg.escapeIdentifier(database)}`).catch((error: { code?: unknown }) => {
      if (error.code !== '42P04' && error.code !== '23505') throw error
    })
  })
}

type Admin = { role: string; isSuperuser: boolean; maySetVerbosity: boolean }

async function prepareOwner(client: pg.Client, owner: Owner, url: URL, admin: Admin): Promise<void> {
  const role = roleOf(url)
  if (role.name !== admin.role) {
    await makeRole(client, url)
    // To create a schema for a role, the creator must be a member of that role.
    if (!admin.isSuperuser) await client.query(`grant ${role.sql} to current_user`)
  }
  if (admin.maySetVerbosity) await client.query(`alter role ${role.sql} set log_error_verbosity = terse`)
  await client.query(`create schema if not exists ${owner} authorization ${role.sql}`)
}

async function makeRole(client: pg.Client, url: URL): Promise<void> {
  const role = roleOf(url)
  const { rowCount } = await client.query('select from pg_roles where rolname = $1', [role.name])
  const verb = rowCount ? 'alter' : 'create'
  await client.query(`${verb} role ${role.sql} login password ${pg.escapeLiteral(decodeURIComponent(url.password))}`)
}

function roleOf(url: URL): { name: string; sql: string } {
  const name = decodeURIComponent(url.username)
  return { name, sql: pg.escapeIdentifier(name) }
}

const databaseOf = (url: string) => decodeURIComponent(new URL(url).pathname.slice(1))

function onDatabase(url: string, database: string): string {
  return Object.assign(new URL(url), { pathname: `/${encodeURIComponent(database)}` }).href
}

export async function withClient<T>(connectionString: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString, connectionTimeoutMillis: 5_000, query_timeout: 30_000 })
  client.on('error', () => {}) // After a connection error, the next statement rejects.
  try {
    await client.connect()
    return await work(client)
  } finally {
    await client.end().catch(() => {})
  }
}
