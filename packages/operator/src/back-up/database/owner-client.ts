import { secret, url } from '@tideport/service-kit/config/setting'
import type { Owner } from '@tideport/set-up/prepare-database'
import pg from 'pg'

const databaseUrl = () => secret(url(['postgres', 'postgresql']))

/** `DATABASE_URL` is that of files. Direct connections, not through a pooler. */
export const ownerSettings = {
  AUTH_DATABASE_URL: databaseUrl(),
  DATABASE_URL: databaseUrl(),
  WEBHOOKS_DATABASE_URL: databaseUrl(),
}

export type OwnerUrls = Record<Owner, string>

export const urlsOf = (config: {
  authDatabaseUrl: string
  databaseUrl: string
  webhooksDatabaseUrl: string
}): OwnerUrls => ({ auth: config.authDatabaseUrl, files: config.databaseUrl, webhooks: config.webhooksDatabaseUrl })

/** Dumps and loads take hours, so only keepalives detect a lost server. */
const SESSION = ['statement_timeout=0', 'idle_in_transaction_session_timeout=0', 'idle_session_timeout=0']
/** A dump and its load must write and read values in the same form. */
const FORMS = [
  'datestyle=ISO,MDY',
  'intervalstyle=postgres',
  'timezone=UTC',
  'bytea_output=hex',
  'extra_float_digits=1',
]

export interface OwnerClient extends AsyncDisposable {
  owner: Owner
  client: pg.Client
}

export async function openOwnerClient(owner: Owner, connectionString: string): Promise<OwnerClient> {
  const settings = [`search_path=${owner}`, 'client_encoding=UTF8', ...SESSION, ...FORMS]
  const client = new pg.Client({
    connectionString,
    application_name: 'operator backup',
    options: settings.map((setting) => `-c ${setting}`).join(' '),
    connectionTimeoutMillis: 10_000,
    keepAlive: true,
    keepAliveInitialDelayMillis: 30_000,
  })
  client.on('error', () => {}) // The running statement rejects with the error.
  await client.connect()
  return { owner, client, [Symbol.asyncDispose]: () => client.end() }
}

export const quoted = (name: string) => pg.escapeIdentifier(name)
