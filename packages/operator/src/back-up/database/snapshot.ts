import type { FilesDb } from '@tideport/file-lifecycle/state/tables'
import type { Owner } from '@tideport/set-up/prepare-database'
import { type Kysely, sql } from 'kysely'
import copyStreams from 'pg-copy-streams'
import { compressed } from '../compressed.ts'
import { owners, type Table } from '../manifest.ts'
import { digestOf } from './digest.ts'
import { type OwnerClient, type OwnerUrls, openOwnerClient, quoted } from './owner-client.ts'

/** All schemas at one moment. */
export interface Snapshot extends AsyncDisposable {
  migrations: Record<Owner, string>
  /** Without rows. */
  tables: Table[]
  /** The rows of a table, compressed. Returns their number. */
  dump(table: Table): AsyncGenerator<Uint8Array, number>
  digest(table: Table): Promise<string>
  /** Runs statements of Kysely in the snapshot. */
  within<T>(db: Kysely<FilesDb>, work: (snapshot: Kysely<FilesDb>) => Promise<T>): Promise<T>
}

/** Throws while a migration is running. */
export async function openSnapshot(urls: OwnerUrls): Promise<Snapshot> {
  await using stack = new AsyncDisposableStack()
  const clients = new Map<Owner, OwnerClient>()
  let snapshotId: string | undefined
  for (const owner of owners) {
    const opened = stack.use(await openOwnerClient(owner, urls[owner]))
    clients.set(owner, opened)
    await opened.client.query('begin isolation level repeatable read read only')
    if (snapshotId === undefined) {
      const { rows } = await opened.client.query('select pg_export_snapshot() as id')
      snapshotId = rows[0].id as string
    } else await opened.client.query(`set transaction snapshot '${snapshotId}'`)
  }
  const migrations = {} as Record<Owner, string>
  const tables: Table[] = []
  for (const opened of clients.values()) {
    migrations[opened.owner] = await lastMigration(opened)
    tables.push(...(await tablesOf(opened)))
  }
  const opened = stack.move()
  return {
    migrations,
    tables,
    dump: (table) => dump(clients.get(table.owner) as OwnerClient, table),
    digest: (table) => digestOf(clients.get(table.owner) as OwnerClient, table),
    within: (db, work) =>
      db
        .transaction()
        .setIsolationLevel('repeatable read')
        .execute(async (trx) => {
          await sql.raw(`set transaction snapshot '${snapshotId}'`).execute(trx)
          return await work(trx)
        }),
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  }
}

async function lastMigration({ owner, client }: OwnerClient): Promise<string> {
  const { rows } = await client.query(
    `select (select max(name collate "C") from schema_migration) as last,
      (select min(name) from schema_migration_batch) as running`,
  )
  const { last, running } = rows[0]
  if (running !== null)
    throw new Error(`The migration ${running} of ${owner} is running. Back up after it has finished`)
  return last
}

/**
 * Without generated columns. Also without IDs of transactions, which mean nothing in another server, and without the
 * keys of cursors, because cursors contain such IDs.
 */
async function tablesOf({ owner, client }: OwnerClient): Promise<Table[]> {
  const { rows } = await client.query(
    `select relname as name, array_agg(attname::text order by attnum) as columns
     from pg_class join pg_attribute on attrelid = pg_class.oid
     where relnamespace = $1::regnamespace and relkind = 'r' and attnum > 0 and not attisdropped
       and attgenerated = '' and atttypid <> 'xid8'::regtype
       and relname not in ('schema_migration', 'schema_migration_batch', 'cursor_key')
     group by relname order by relname`,
    [owner],
  )
  return rows.map(({ name, columns }) => ({ owner, name, columns, rows: 0 }))
}

async function* dump({ client }: OwnerClient, { name, columns }: Table): AsyncGenerator<Uint8Array, number> {
  const copied = client.query(copyStreams.to(`copy ${quoted(name)} (${columns.map(quoted).join(', ')}) to stdout`))
  yield* compressed(copied)
  return copied.rowCount
}
