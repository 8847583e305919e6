import { failpoint } from '@tideport/service-kit/process/failpoint'
import { type DatabaseUrls, prepareDatabase } from '@tideport/set-up/prepare-database'
import { digestOf } from '../back-up/database/digest.ts'
import {
  assertUnused,
  forgetRestored,
  installationIn,
  migrateToCurrent,
  noteRestored,
  restoredIn,
} from '../back-up/database/empty-database.ts'
import { loadTables } from '../back-up/database/load.ts'
import { type OwnerClient, openOwnerClient } from '../back-up/database/owner-client.ts'
import { openSnapshot, type Snapshot } from '../back-up/database/snapshot.ts'
import { owners, type Table } from '../back-up/manifest.ts'
import type { MoveContext } from './move-objects.ts'

export interface Database {
  /** URL for the role that prepares the database. */
  adminUrl: string
  urls: DatabaseUrls
}

/** Prepares the database as a start does. Returns the installation's ID. */
export async function prepareRows({ adminUrl, urls }: Database, { log }: Pick<MoveContext, 'log'>): Promise<string> {
  await prepareDatabase(adminUrl, urls)
  await migrateToCurrent(urls, { log })
  await using files = await openOwnerClient('files', urls.files)
  return (await installationIn(files)) ?? ''
}

/**
 * Replaces the rows of `to` by those of `from`, which nobody may change meanwhile, and compares their checksums before
 * the commit. Refuses rows of users, except those of an interrupted move with this ID. Returns the number of rows.
 */
export async function moveRows(
  { from, to, id }: { from: Database; to: Database; id: string },
  context: MoveContext,
): Promise<number> {
  await prepareRows(to, context).catch((error: Error & { code?: string }) => {
    const { host } = new URL(to.adminUrl)
    throw new Error(`The database on ${host} cannot be prepared: ${error.message || error.code}`, { cause: error })
  })
  await failpoint('move-out.migrated')
  await using snapshot = await openSnapshot(from.urls)
  await using stack = new AsyncDisposableStack()
  const loaded: OwnerClient[] = []
  for (const owner of owners) {
    const opened = stack.use(await openOwnerClient(owner, to.urls[owner]))
    loaded.push(opened)
    await opened.client.query('begin')
    // Serializes moves into the same database.
    await opened.client.query('lock table schema_migration in exclusive mode')
    // The installation may have been in use since an interrupted move, so its rows are loaded again.
    if ((await restoredIn(opened)) !== id) await assertUnused(opened)
    const tables = snapshot.tables.filter((table) => table.owner === owner)
    await loadTables(opened, tables, (table) => rowsOf(snapshot, table, context.signal))
    for (const table of tables) await assertSame(snapshot, opened, table)
    await noteRestored(opened, id)
  }
  await failpoint('move-out.loaded')
  for (const { owner, client } of loaded) {
    await client.query('commit')
    await failpoint(`move-out.${owner}-committed`)
  }
  for (const { client } of loaded) await client.query('analyze')
  return snapshot.tables.reduce((sum, { rows }) => sum + rows, 0)
}

async function* rowsOf(snapshot: Snapshot, table: Table, signal: AbortSignal): AsyncGenerator<Uint8Array, void> {
  signal.throwIfAborted()
  table.rows = yield* snapshot.dump(table)
}

async function assertSame(snapshot: Snapshot, target: OwnerClient, table: Table): Promise<void> {
  const [old, current] = await Promise.all([snapshot.digest(table), digestOf(target, table)])
  if (old !== current)
    throw new Error(`The rows of ${table.owner}.${table.name} differ after the copy: ${current} instead of ${old}`)
}

/** Later moves into the database are refused. */
export async function finishRows({ urls }: Pick<Database, 'urls'>, id: string): Promise<void> {
  for (const owner of owners) {
    await using opened = await openOwnerClient(owner, urls[owner])
    if ((await restoredIn(opened)) === id) await forgetRestored(opened)
  }
}
