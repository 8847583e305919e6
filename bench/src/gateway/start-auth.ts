import { hash, type KeyObject } from 'node:crypto'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { formatApiKey } from '@tideport/contracts/public/api-key-format'
import { freePort } from '@tideport/dev-stack/ports/free-port'
import { bareEnvironment, hostEnvironment } from '@tideport/dev-stack/processes/host-environment'
import { migrate } from '@tideport/service-kit/postgres/migrate'
import pg from 'pg'
import { v7 as uuidv7 } from 'uuid'
import { startServer } from '../start-database.ts'
import { type Launched, launch } from './launch.ts'

const main = fileURLToPath(new URL('../../../services/auth/src/main.ts', import.meta.url))
const migrations = new URL('../../../services/auth/migrations/', import.meta.url)

/**
 * The auth service on a Postgres of its own, which knows so many keys of one account; nothing there waits for a broker.
 */
export async function startAuth({
  publicKey,
  keyCount,
  dir,
}: {
  publicKey: KeyObject
  keyCount: number
  dir: string
}): Promise<Launched & { keys: string[] }> {
  await using starting = new AsyncDisposableStack()
  const { urls } = starting.use(await startServer())
  await migrate({ url: urls.auth, schema: 'auth', folder: migrations })
  const keys = Array.from({ length: keyCount }, () => formatApiKey(crypto.getRandomValues(new Uint8Array(32))))
  await insertKeys(urls.auth, keys)
  const port = await freePort()
  const auth = starting.use(
    await launch({
      command: process.execPath,
      args: [main],
      env: {
        ...bareEnvironment(hostEnvironment()),
        HOST: '127.0.0.1',
        PORT: String(port),
        ADMIN_PORT: '0',
        DATABASE_URL: urls.auth,
        NATS_URL: 'nats://127.0.0.1:9',
        IDENTITY_TOKEN_PUBLIC_KEYS: JSON.stringify({
          keys: [{ ...publicKey.export({ format: 'jwk' }), kid: 'bench' }],
        }),
      },
      port,
      logFile: join(dir, 'auth.log'),
    }),
  )
  const started = starting.move()
  return { pid: auth.pid, url: auth.url, keys, [Symbol.asyncDispose]: () => started.disposeAsync() }
}

async function insertKeys(url: string, keys: readonly string[]): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    const accountId = uuidv7()
    await client.query(`insert into auth.account (id, issuer, subject) values ($1, 'bench', 'bench')`, [accountId])
    await client.query(
      `insert into auth.api_key (id, account_id, name, key_prefix, digest)
       select id, $1, 'bench', 'tdp_0000', digest from unnest($2::uuid[], $3::bytea[]) as key (id, digest)`,
      [accountId, keys.map(() => uuidv7()), keys.map((key) => hash('sha256', key, 'buffer'))],
    )
  } finally {
    await client.end()
  }
}
