import { appendEvents } from '@tideport/file-lifecycle/state/append-event'
import type { FilesDb } from '@tideport/file-lifecycle/state/tables'
import { type Kysely, sql } from 'kysely'
import { isIn, type OwnVault } from '../lookups/authorized-vault.ts'

/** An object without bytes whose key ends in a slash is a kept folder. */
export async function findFolder(
  db: Kysely<FilesDb>,
  vault: OwnVault,
  key: string,
): Promise<{ path: string; createdAt: Date } | null> {
  if (!key.endsWith('/')) return null
  const { rows } = await sql<{ path: string; createdAt: Date }>`
    select path, created_at from kept_folder where ${isIn(vault)} and path = ${key}`.execute(db)
  return rows[0] ?? null
}

/** Returns the keys that were kept folders. */
export async function forgetFolders(db: Kysely<FilesDb>, vault: OwnVault, keys: string[]): Promise<string[]> {
  if (keys.length === 0) return []
  const { rows } = await sql<{ path: string }>`
    with gone as (
      delete from kept_folder where ${isIn(vault)} and path = any(${keys}::text[]) returning vault_id, path
    ), home as (
      select vault.id, vault.account_id, gone.path from vault join gone on vault.id = gone.vault_id
    ), told as (
      ${appendEvents({ kind: 'vault', type: 'vault.changed', payload: sql`jsonb_build_object('forgottenFolder', home.path)`, from: sql`home` })}
    )
    select path from gone`.execute(db)
  return rows.map(({ path }) => path)
}
