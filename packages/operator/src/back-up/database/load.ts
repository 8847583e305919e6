import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import copyStreams from 'pg-copy-streams'
import { decompressed } from '../compressed.ts'
import type { Table } from '../manifest.ts'
import { DamagedError } from '../sealed.ts'
import { type OwnerClient, quoted } from './owner-client.ts'

/**
 * Replaces the rows of these tables, in the transaction of the client. Foreign keys, indexes, and triggers are restored
 * after the rows: triggers would create rows that the backup also has, and an index is built faster than extended.
 */
export async function loadTables(
  { client }: OwnerClient,
  tables: readonly Table[],
  read: (table: Table) => AsyncIterable<Uint8Array>,
): Promise<void> {
  const names = tables.map(({ name }) => quoted(name))
  const keys = await definitions(client, FOREIGN_KEYS)
  const indexes = await definitions(client, INDEXES)
  for (const { drop } of [...keys, ...indexes]) await client.query(drop)
  for (const name of names) await client.query(`alter table ${name} disable trigger user`)
  await client.query(`truncate ${names.join(', ')}`)
  for (const table of tables) await loadRows(client, table, read(table))
  await client.query(`set local maintenance_work_mem = '256MB'`)
  for (const { create } of [...indexes, ...keys]) await client.query(create)
  for (const name of names) await client.query(`alter table ${name} enable trigger user`)
  await advanceSequences(client)
}

type Client = OwnerClient['client']

async function loadRows(client: Client, table: Table, sealed: AsyncIterable<Uint8Array>): Promise<void> {
  const columns = table.columns.map(quoted).join(', ')
  const loading = client.query(copyStreams.from(`copy ${quoted(table.name)} (${columns}) from stdin`))
  await pipeline(Readable.from(decompressed(sealed)), loading)
  if (loading.rowCount !== table.rows)
    throw new DamagedError(
      `The backup of ${table.owner}.${table.name} has ${loading.rowCount} rows instead of ${table.rows}`,
    )
}

const FOREIGN_KEYS = `
  select format('alter table %s drop constraint %I', conrelid::regclass, conname) as drop,
    format('alter table %s add constraint %I %s', conrelid::regclass, conname, pg_get_constraintdef(oid)) as create
  from pg_constraint where connamespace = current_schema()::regnamespace and contype = 'f'`

const INDEXES = `
  select format('drop index %s', indexrelid::regclass) as drop, pg_get_indexdef(indexrelid) as create
  from pg_index join pg_class on pg_class.oid = indexrelid
  where relnamespace = current_schema()::regnamespace and relkind = 'i'
    and not exists (select from pg_constraint where conindid = indexrelid)`

async function definitions(client: Client, text: string): Promise<{ drop: string; create: string }[]> {
  return (await client.query(text)).rows
}

/** Loaded rows have taken numbers without the sequence. */
async function advanceSequences(client: Client): Promise<void> {
  const { rows } = await client.query<{ sequence: string; table: string; column: string }>(`
    select pg_get_serial_sequence(attrelid::regclass::text, attname) as sequence, attrelid::regclass::text as table,
      quote_ident(attname) as column
    from pg_attribute join pg_class on pg_class.oid = attrelid
    where relnamespace = current_schema()::regnamespace and relkind = 'r' and attnum > 0 and not attisdropped
      and pg_get_serial_sequence(attrelid::regclass::text, attname) is not null`)
  for (const { sequence, table, column } of rows)
    await client.query(`select setval($1, (select coalesce(max(${column}), 0) + 1 from ${table}), false)`, [sequence])
}
