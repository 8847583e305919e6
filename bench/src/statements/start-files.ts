import { generateKeyPairSync } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { freePort } from '@tideport/dev-stack/ports/free-port'
import { bareEnvironment, hostEnvironment } from '@tideport/dev-stack/processes/host-environment'
import { databaseUrl, databaseUrls } from '@tideport/dev-stack/provisioning/database-urls'
import { launchNats } from '@tideport/dev-stack/servers/launch-nats'
import { removeCluster } from '@tideport/dev-stack/servers/postgres/cluster-home'
import { launchPostgres } from '@tideport/dev-stack/servers/postgres/launch-postgres'
import { createPrincipalSigner } from '@tideport/service-kit/http/principal-token'
import { migrate } from '@tideport/service-kit/postgres/migrate'
import { makePassword } from '@tideport/set-up/make-secrets'
import { prepareDatabase } from '@tideport/set-up/prepare-database'
import pg from 'pg'
import { launch } from '../gateway/launch.ts'

const store = fileURLToPath(new URL('store-main.ts', import.meta.url))

/**
 * The files process of a tree (a checkout with its modules installed), with a Postgres of its own that is durable and
 * counts statements, a broker, and a store that answers at once.
 */
export async function startFiles(tree: string) {
  await using stack = new AsyncDisposableStack()
  const dir = await mkdtemp(join(tmpdir(), 'tideport-bench-'))
  stack.defer(() => rm(dir, { recursive: true, force: true }))
  const nats = stack.use(await launchNats({ storeDir: join(dir, 'nats') }))
  const dataDir = join(dir, 'postgres')
  stack.defer(() => removeCluster(dataDir))
  await askOnce(dataDir, `alter system set shared_preload_libraries = 'pg_stat_statements'`)
  const postgres = stack.use(await launchPostgres({ dataDir }))
  const urls = databaseUrls(postgres.url, { auth: makePassword(), files: makePassword(), webhooks: makePassword() })
  await prepareDatabase(postgres.url, urls)
  const folder = new URL('packages/file-lifecycle/migrations/', pathToFileURL(`${tree}/`))
  await migrate({ url: urls.files, schema: 'files', folder })
  const admin = stack.adopt(new pg.Client({ connectionString: databaseUrl(postgres.url) }), (client) => client.end())
  await admin.connect()
  await admin.query('create extension pg_stat_statements')

  const { privateKey, publicKey } = generateKeyPairSync('ed25519')
  const jwk = (key: typeof privateKey) => ({ ...key.export({ format: 'jwk' }), kid: 'bench' })
  const sign = createPrincipalSigner({ privateKey: JSON.stringify(jwk(privateKey)) })
  const server = async (main: string, port: number, env: Record<string, string>, args: string[]) =>
    stack.use(
      await launch({
        command: process.execPath,
        args: [main, ...args],
        env: { ...bareEnvironment(hostEnvironment()), ...env },
        port,
        logFile: join(dir, 'log'),
      }),
    )
  const storePort = await freePort()
  const { url: storeUrl } = await server(store, storePort, {}, [String(storePort)])
  const port = await freePort()
  const settings = {
    HOST: '127.0.0.1',
    PORT: String(port),
    ADMIN_PORT: '0',
    SERVICE_ENV: 'development',
    DATABASE_URL: urls.files,
    NATS_URL: nats.url,
    IDENTITY_TOKEN_PUBLIC_KEYS: JSON.stringify({ keys: [jwk(publicKey)] }),
    S3_ENDPOINT: storeUrl,
    S3_BUCKET: 'bench',
    S3_FORCE_PATH_STYLE: 'true',
    AWS_ACCESS_KEY_ID: 'bench',
    AWS_SECRET_ACCESS_KEY: 'bench',
    EMBEDDED_NETWORK_DIR: join(dir, 'network'),
    PUBLIC_URL: 'http://127.0.0.1',
    DOWNLOAD_TOKEN_KEYS: Buffer.alloc(32, 7).toString('base64'),
  }
  const files = await server(join(tree, 'services/files/src/main.ts'), port, settings, [])
  const started = stack.move()
  return { files, postgres, admin, sign, [Symbol.asyncDispose]: () => started.disposeAsync() }
}

export type BenchFiles = Awaited<ReturnType<typeof startFiles>>

async function askOnce(dataDir: string, statement: string): Promise<void> {
  await using postgres = await launchPostgres({ dataDir })
  const client = new pg.Client({ connectionString: postgres.url })
  await client.connect()
  await client.query(statement)
  await client.end()
}
