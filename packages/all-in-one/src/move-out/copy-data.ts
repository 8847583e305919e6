import type { DataLayout } from '@tideport/dev-stack/data-directory/data-layout'
import type { MovedOut } from '@tideport/dev-stack/data-directory/moved-out'
import type { Secrets } from '@tideport/dev-stack/data-directory/secrets'
import type { Logs } from '@tideport/dev-stack/data-directory/stack-logs'
import type { ExternalStore } from '@tideport/dev-stack/servers/external-servers'
import { launchS3 } from '@tideport/dev-stack/servers/launch-s3'
import { launchPostgres } from '@tideport/dev-stack/servers/postgres/launch-postgres'
import { embeddedDatabase, embeddedStore, externalDatabase } from '@tideport/dev-stack/stack/server-addresses'
import { type MoveContext, moveObjects } from '@tideport/operator/src/move-out/move-objects.ts'
import { type Database, moveRows, prepareRows } from '@tideport/operator/src/move-out/move-rows.ts'
import { failpoint } from '@tideport/service-kit/process/failpoint'
import { createLogger } from '@tideport/service-kit/telemetry/logger'
import type { Environment } from '../options.ts'

export interface Data {
  layout: DataLayout
  secrets: Secrets
  logs: Logs
  env: Environment
  signal: AbortSignal
  out: (line: string) => void
  /** The external server that has the rows already; undefined: the embedded one. */
  rowsUrl: string | undefined
}

/** Undefined: stays where it is. */
export interface Targets {
  database: string | undefined
  store: ExternalStore | undefined
}

/** Copies the data of the embedded servers, which run only meanwhile. Repeatable. Returns what was copied. */
export async function copyData(data: Data, { database, store }: Targets): Promise<MovedOut> {
  const { layout, secrets, logs, env, signal, out, rowsUrl } = data
  await using parts = new AsyncDisposableStack()
  const ran = <Server extends { stop(): Promise<unknown> }>(server: Server): Server => {
    parts.defer(async () => void (await server.stop()))
    return server
  }
  const common = (name: string) => ({ env, log: logs.writer(name) })
  const current: Database =
    rowsUrl === undefined
      ? embeddedDatabase(ran(await launchPostgres({ dataDir: layout.postgres, ...common('postgres') })), secrets)
      : externalDatabase(rowsUrl, secrets)
  const log = createLogger({ service: 'move-out', level: 'info', destination: { write: logs.writer('move-out') } })
  const context: MoveContext = { log, signal, print: out }
  const result: MovedOut = { id: `move-out ${await prepareRows(current, context)}` }
  const { id } = result
  const at = new Date().toISOString()

  // Rows without objects would look like lost files, so the rows come last.
  if (store !== undefined) {
    const server = ran(await launchS3({ dataDir: layout.s3, ...secrets.s3, ...common('s3') }))
    const [from, to] = [hotTierOf(embeddedStore(server, secrets)), hotTierOf(store)]
    const { objects, bytes } = await moveObjects({ from, to, databaseUrl: current.urls.files, id }, context)
    result.s3 = { at, to: `${store.endpoint}/${store.bucket}` }
    out(`${objects} objects, ${bytes} bytes, are in ${result.s3.to}.`)
    await failpoint('move-out.objects')
  }
  if (database !== undefined) {
    const to = externalDatabase(database, secrets)
    const rows = await moveRows({ from: current, to, id }, context)
    const { host, pathname } = new URL(to.adminUrl)
    result.postgres = { at, to: `${host}${pathname}` }
    out(`${rows} rows are in ${result.postgres.to}.`)
    await failpoint('move-out.rows')
  }
  return result
}

export const hotTierOf = (store: ExternalStore) => ({
  s3Endpoint: store.endpoint,
  s3Region: store.region,
  s3Bucket: store.bucket,
  s3ForcePathStyle: store.forcePathStyle,
  awsAccessKeyId: store.accessKeyId,
  awsSecretAccessKey: store.secretAccessKey,
})
