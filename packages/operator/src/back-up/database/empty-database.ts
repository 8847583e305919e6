import { migrations as filesMigrations } from '@tideport/file-lifecycle/state/tables'
import { migrate } from '@tideport/service-kit/postgres/migrate'
import { readMigrations } from '@tideport/service-kit/postgres/migration-file'
import type { Owner } from '@tideport/set-up/prepare-database'
import pg from 'pg'
import type { CommandContext } from '../../command.ts'
import { type Manifest, owners } from '../manifest.ts'
import type { OwnerClient, OwnerUrls } from './owner-client.ts'

const folders: Record<Owner, URL> = {
  auth: new URL('../../../../../services/auth/migrations/', import.meta.url),
  files: filesMigrations,
  webhooks: new URL('../../../../../services/webhooks/migrations/', import.meta.url),
}

/** Rows of users, and not those of migrations and of the set-up, which creates an account with a key. */
const inUse: Record<Owner, string> = {
  auth: 'select (select count(*) from account) > 1 or (select count(*) from api_key) > 1 as found',
  files: 'select exists (select from file) or exists (select from vault where not is_default) as found',
  webhooks: 'select exists (select from webhook) as found',
}

/** Runs the migrations that the backup had. Throws if this version lacks one, or if the database has others. */
export async function migrateTo({ migrations, version }: Manifest, urls: OwnerUrls, { log }: CommandContext) {
  for (const owner of owners) {
    const known = await readMigrations(folders[owner])
    if (!known.some(({ name }) => name === migrations[owner]))
      throw new Error(`The backup is from version ${version}. Restore with that version, and upgrade afterwards`)
    await migrate({ url: urls[owner], schema: owner, folder: folders[owner], last: migrations[owner], log })
  }
}

/** Runs the migrations of this version. */
export async function migrateToCurrent(urls: OwnerUrls, { log }: Pick<CommandContext, 'log'>) {
  for (const owner of owners) await migrate({ url: urls[owner], schema: owner, folder: folders[owner], log })
}

/** Throws unless the schema has exactly these migrations and no rows of users. */
export async function assertEmpty({ owner, client }: OwnerClient, { migrations, version }: Manifest): Promise<void> {
  const { rows } = await client.query<{ last: string }>('select max(name collate "C") as last from schema_migration')
  if (rows[0]?.last !== migrations[owner])
    throw new Error(
      `The schema ${owner} has newer migrations than the backup, which is from version ${version}. Restore into a new database`,
    )
  await assertUnused({ owner, client })
}

/** Throws if the schema has rows of users. */
export async function assertUnused({ owner, client }: Pick<OwnerClient, 'owner' | 'client'>): Promise<void> {
  const { rows } = await client.query<{ found: boolean }>(inUse[owner])
  if (rows[0]?.found)
    throw new Error(
      `The schema ${owner} is not empty, and its data is never overwritten. Use a new database, or drop this one first`,
    )
}

const RESTORED = 'restored from '

/**
 * Notes the backup in the transaction that restores its rows. The three schemas cannot be committed together, because
 * each role may change only its own. No backup contains this table.
 */
export async function noteRestored({ client }: OwnerClient, id: string): Promise<void> {
  await client.query(`comment on table schema_migration is ${pg.escapeLiteral(`${RESTORED}${id}`)}`)
}

/** The ID of the backup whose rows the schema has. */
export async function restoredIn({ client }: OwnerClient): Promise<string | null> {
  const { rows } = await client.query<{ note: string | null }>(
    `select obj_description('schema_migration'::regclass, 'pg_class') as note`,
  )
  const note = rows[0]?.note
  return note?.startsWith(RESTORED) ? note.slice(RESTORED.length) : null
}

export async function forgetRestored({ client }: OwnerClient): Promise<void> {
  await client.query('comment on table schema_migration is null')
}

/** Null: not migrated yet. */
export async function installationIn({ client }: OwnerClient): Promise<string | null> {
  const { rows } = await client.query<{ id: string }>('select id from installation').catch((error) => {
    if (error.code === '42P01') return { rows: [] }
    throw error
  })
  return rows[0]?.id ?? null
}
