import { dataLayout } from '@tideport/dev-stack/data-directory/data-layout'
import { type MovedOut, readMovedOut, writeMovedOut } from '@tideport/dev-stack/data-directory/moved-out'
import { loadSecrets, type Secrets } from '@tideport/dev-stack/data-directory/secrets'
import { openLogs } from '@tideport/dev-stack/data-directory/stack-logs'
import { exists } from '@tideport/dev-stack/file-system/exists'
import type { ExternalServers, ExternalStore } from '@tideport/dev-stack/servers/external-servers'
import { launchS3 } from '@tideport/dev-stack/servers/launch-s3'
import { launchPostgres } from '@tideport/dev-stack/servers/postgres/launch-postgres'
import { hasData } from '@tideport/dev-stack/stack/embedded-data'
import { openData } from '@tideport/dev-stack/stack/open-data'
import { embeddedDatabase, embeddedStore, externalDatabase } from '@tideport/dev-stack/stack/server-addresses'
import { finishObjects, type MoveContext, moveObjects } from '@tideport/operator/src/move-out/move-objects.ts'
import { type Database, finishRows, moveRows, prepareRows } from '@tideport/operator/src/move-out/move-rows.ts'
import { failpoint } from '@tideport/service-kit/process/failpoint'
import { createLogger } from '@tideport/service-kit/telemetry/logger'
import { type Environment, type Options, UsageError } from '../options.ts'
import { readSettings } from '../settings.ts'

type Out = (line: string) => void

/**
 * Moves the data of the embedded servers to the external ones in the settings, while no service runs. Until everything
 * is copied and compared, only the embedded data counts; then one file says that only the external data counts.
 */
export async function moveOut({ dataDir }: Options, env: Environment, signal: AbortSignal, out: Out): Promise<void> {
  const { external } = readSettings(env)
  const { databaseUrl, natsUrl, s3 } = external
  if (databaseUrl === undefined && natsUrl === undefined && s3 === undefined)
    throw new UsageError('Set the addresses of the new servers: DATABASE_URL, S3_ENDPOINT, or both.')
  if (!(await exists(dataLayout(dataDir).secrets))) throw new Error(`${dataDir} has no data of Tideport.`)
  if (natsUrl !== undefined) out('NATS has nothing to move: events that are not published yet are in Postgres.')
  await using parts = new AsyncDisposableStack()
  const { layout } = parts.use(await openData(dataDir, false))
  const logs = parts.use(openLogs(layout.logs))
  const moved = await readMovedOut(layout)
  const isLeft = async (name: 'postgres' | 's3') => moved?.[name] === undefined && (await hasData(layout, name))
  const hasRows = await isLeft('postgres')
  const newDatabase = hasRows ? databaseUrl : undefined
  const newStore = (await isLeft('s3')) ? s3 : undefined
  const secrets = await loadSecrets(layout.secrets)
  if (newDatabase === undefined && newStore === undefined) {
    if (moved !== undefined) await finish(moved, external, { secrets, signal })
    return out('Nothing to move: the servers in the settings replace none that has data.')
  }

  const common = (name: string) => ({ env, log: logs.writer(name) })
  const embedded = hasRows
    ? embeddedDatabase(
        stopped(parts, await launchPostgres({ dataDir: layout.postgres, ...common('postgres') })),
        secrets,
      )
    : undefined
  const current = embedded ?? (databaseUrl && externalDatabase(databaseUrl, secrets))
  if (!current) throw new Error(`The database was moved to ${moved?.postgres?.to}. Set DATABASE_URL to this server.`)
  const log = createLogger({ service: 'move-out', level: 'info', destination: { write: logs.writer('move-out') } })
  const context: MoveContext = { log, signal, print: out }
  const id = `move-out ${await prepareRows(current, context)}`
  const result: MovedOut = { ...moved, id }
  const at = new Date().toISOString()

  // Rows without objects would look like lost files, so the rows come last.
  if (newStore !== undefined) {
    const server = stopped(parts, await launchS3({ dataDir: layout.s3, ...secrets.s3, ...common('s3') }))
    const from = hotTierOf(embeddedStore(server, secrets))
    const { objects, bytes } = await moveObjects(
      { from, to: hotTierOf(newStore), databaseUrl: current.urls.files, id },
      context,
    )
    result.s3 = { at, to: `${newStore.endpoint}/${newStore.bucket}` }
    out(`${objects} objects, ${bytes} bytes, are in ${result.s3.to}.`)
    await failpoint('move-out.objects')
  }
  if (newDatabase !== undefined) {
    const to = externalDatabase(newDatabase, secrets)
    const rows = await moveRows({ from: embedded as Database, to, id }, context)
    const { host, pathname } = new URL(to.adminUrl)
    result.postgres = { at, to: `${host}${pathname}` }
    out(`${rows} rows are in ${result.postgres.to}.`)
    await failpoint('move-out.rows')
  }
  await writeMovedOut(layout, result)
  await failpoint('move-out.noted')
  await finish(result, external, { secrets, signal })
  const old = [newDatabase && layout.postgres, newStore && layout.s3].filter(Boolean).join(' and ')
  out(`Everything is moved. Start Tideport with the same settings. Then you can delete ${old}.`)
}

/** After this, the targets refuse further moves. */
async function finish(
  { id }: MovedOut,
  { databaseUrl, s3 }: ExternalServers,
  { secrets, signal }: { secrets: Secrets; signal: AbortSignal },
): Promise<void> {
  if (s3 !== undefined) await finishObjects({ to: hotTierOf(s3), id }, signal)
  if (databaseUrl !== undefined) await finishRows(externalDatabase(databaseUrl, secrets), id)
}

/** Stops the server at the end. */
function stopped<Server extends { stop(): Promise<unknown> }>(parts: AsyncDisposableStack, server: Server): Server {
  parts.defer(async () => void (await server.stop()))
  return server
}

const hotTierOf = ({ endpoint, region, bucket, forcePathStyle, accessKeyId, secretAccessKey }: ExternalStore) => ({
  s3Endpoint: endpoint,
  s3Region: region,
  s3Bucket: bucket,
  s3ForcePathStyle: forcePathStyle,
  awsAccessKeyId: accessKeyId,
  awsSecretAccessKey: secretAccessKey,
})
