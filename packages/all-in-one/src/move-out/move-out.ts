import { dataLayout } from '@tideport/dev-stack/data-directory/data-layout'
import { type MovedOut, readMovedOut, writeMovedOut } from '@tideport/dev-stack/data-directory/moved-out'
import { loadSecrets, type Secrets } from '@tideport/dev-stack/data-directory/secrets'
import { openLogs } from '@tideport/dev-stack/data-directory/stack-logs'
import { exists } from '@tideport/dev-stack/file-system/exists'
import type { ExternalServers } from '@tideport/dev-stack/servers/external-servers'
import { hasData } from '@tideport/dev-stack/stack/embedded-data'
import { openData } from '@tideport/dev-stack/stack/open-data'
import { externalDatabase } from '@tideport/dev-stack/stack/server-addresses'
import { finishObjects } from '@tideport/operator/src/move-out/move-objects.ts'
import { finishRows } from '@tideport/operator/src/move-out/move-rows.ts'
import { failpoint } from '@tideport/service-kit/process/failpoint'
import { type Environment, type Options, UsageError } from '../options.ts'
import { readSettings } from '../settings.ts'
import { copyData, hotTierOf } from './copy-data.ts'

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
  const secrets = await loadSecrets(layout.secrets)
  const moved = await readMovedOut(layout)
  const isLeft = async (name: 'postgres' | 's3') => moved?.[name] === undefined && (await hasData(layout, name))
  const [hasRows, hasObjects] = [await isLeft('postgres'), await isLeft('s3')]
  const targets = { database: hasRows ? databaseUrl : undefined, store: hasObjects ? s3 : undefined }
  if (targets.database === undefined && targets.store === undefined) {
    if (moved !== undefined) await finish(moved, external, secrets, signal)
    return out('Nothing to move: the servers in the settings replace none that has data.')
  }
  if (!hasRows && databaseUrl === undefined)
    throw new Error(`The database was moved to ${moved?.postgres?.to}. Set DATABASE_URL to this server.`)

  const rowsUrl = hasRows ? undefined : databaseUrl
  const copied = await copyData({ layout, secrets, logs, env, signal, out, rowsUrl }, targets).catch((error: Error) => {
    out('The move is not complete. Tideport still uses the old data: run move-out again, or start as before.')
    throw error
  })
  await writeMovedOut(layout, { ...moved, ...copied })
  await failpoint('move-out.noted')
  const old = [targets.database && layout.postgres, targets.store && layout.s3].filter(Boolean).join(' and ')
  out(`Everything is moved. Start Tideport with the same settings. Then you can delete ${old}.`)
  await finish(copied, external, secrets, signal)
}

/** After this, the new servers refuse further moves. If it fails, a repeated move-out does only this. */
async function finish(
  { id }: MovedOut,
  { databaseUrl, s3 }: ExternalServers,
  secrets: Secrets,
  signal: AbortSignal,
): Promise<void> {
  if (s3 !== undefined) await finishObjects({ to: hotTierOf(s3), id }, signal)
  if (databaseUrl !== undefined) await finishRows(externalDatabase(databaseUrl, secrets), id)
}
