import pg from 'pg'
import type { Secrets } from './secrets.ts'

type Owner = keyof Secrets['roles']

/** The database as the owner of each schema sees it. Hold passwords. */
export type DatabaseUrls = Record<Owner, string>

const database = 'tideport'
const owners: readonly Owner[] = ['auth', 'files', 'webhooks']

/**
 * Makes the database, and one role and schema per owner, unless they are there; sets the passwords anew. Returns the
 * owners' URLs.
 */
export async function prepareDatabase(superuserUrl: string, roles: Secrets['roles']): Promise<DatabaseUrls> {
  await withClient(superuserUrl, async (client) => {
    const { rowCount } = await client.query('select from pg_database where datname = $1', [database])
    if (!rowCount) await client.query(`create database ${database}`)
    for (const owner of owners) await prepareRole(client, owner, roles[owner])
  })
  await withClient(databaseUrl(superuserUrl), async (client) => {
    for (const owner of owners) await client.query(`create schema if not exists ${owner} authorization ${owner}`)
    // Its migrations make Postgres's trusted extensions, for the search in names.
    await client.query(`grant create on database ${database} to files`)
  })
  const urls = owners.map((owner) => [owner, databaseUrl(superuserUrl, owner, roles[owner])])
  return Object.fromEntries(urls) as DatabaseUrls
}

async function prepareRole(client: pg.Client, role: Owner, password: string): Promise<void> {
  const { rowCount } = await client.query('select from pg_roles where rolname = $1', [role])
  const verb = rowCount ? 'alter' : 'create'
  await client.query(`${verb} role ${role} login password ${pg.escapeLiteral(password)}`)
}

/** The address of the stack's database, for the superuser or for the given role. */
export function databaseUrl(superuserUrl: string, role?: Owner, password?: string): string {
  const url = new URL(superuserUrl)
  url.pathname = `/${database}`
  if (role !== undefined && password !== undefined) Object.assign(url, { username: role, password })
  return url.href
}

/** The same databases, reached through something that listens on this port of 127.0.0.1. */
export function throughPort(urls: DatabaseUrls, port: number): DatabaseUrls {
  const through = (url: string) => Object.assign(new URL(url), { hostname: '127.0.0.1', port: String(port) }).href
  return { auth: through(urls.auth), files: through(urls.files), webhooks: through(urls.webhooks) }
}

/** Connects, does the work, closes. */
export async function withClient<T>(connectionString: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString })
  await client.connect()
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}
