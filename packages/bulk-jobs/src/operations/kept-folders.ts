import { isTooLong } from '@tideport/contracts/public/paths'
import { appendEvents } from '@tideport/file-lifecycle/state/append-event'
import type { FilesDb } from '@tideport/file-lifecycle/state/tables'
import { type Kysely, sql } from 'kysely'

/** Limit per vault, because a page of folders reads all kept folders. */
export const KEPT_FOLDERS_MAX = 1000

interface Folders {
  vaultId: string
  prefix: string
}

/** Deletes the kept folders below a prefix, with an event. Returns their paths. */
export async function forgetFolders(trx: Kysely<FilesDb>, { vaultId, prefix }: Folders): Promise<string[]> {
  const { rows } = await sql<{ path: string }>`
    with changed as (
      delete from kept_folder where vault_id = ${vaultId} and starts_with(path, ${prefix}) returning vault_id, path
    ), told as (${told('forgottenFolder')})
    select path from changed`.execute(trx)
  return rows.map(({ path }) => path)
}

/**
 * Moves the kept folders below one folder to another. Skips folders whose paths become too long, or that exceed the
 * limit of the vault.
 */
export async function moveFolders(trx: Kysely<FilesDb>, from: Folders, to: Folders): Promise<void> {
  await keepFolders(trx, to, below(await forgetFolders(trx, from), from, to))
}

/** Like `moveFolders`, but also keeps the folders at their old paths. */
export async function copyFolders(trx: Kysely<FilesDb>, from: Folders, to: Folders): Promise<void> {
  const { rows } = await sql<{ path: string }>`
    select path from kept_folder where vault_id = ${from.vaultId} and starts_with(path, ${from.prefix})`.execute(trx)
  await keepFolders(trx, to, below(rows.map(({ path }) => path), from, to)) // biome-ignore format: one call
}

function below(paths: readonly string[], from: Folders, to: Folders): string[] {
  const moved = paths.map((path) => to.prefix + path.slice(from.prefix.length))
  return moved.filter((path) => path !== '' && !isTooLong(path))
}

async function keepFolders(trx: Kysely<FilesDb>, { vaultId }: Folders, paths: readonly string[]): Promise<void> {
  if (paths.length === 0) return
  // The lock makes concurrent requests for the same vault count these folders.
  await sql`select from vault where id = ${vaultId} for no key update`.execute(trx)
  await sql`
    with changed as (
      insert into kept_folder (vault_id, path) select ${vaultId}, path from unnest(${paths}::text[]) as path
      limit greatest(0, ${KEPT_FOLDERS_MAX} - (select count(*) from kept_folder where vault_id = ${vaultId}))
      on conflict do nothing
      returning vault_id, path
    ), told as (${told('keptFolder')})
    select from changed`.execute(trx)
}

/** Appends an event for each folder of `changed`. */
function told(what: 'keptFolder' | 'forgottenFolder') {
  const payload = sql`jsonb_build_object(${what}::text, path)`
  const from = sql`(select vault.id, account_id, path from changed join vault on vault.id = vault_id) as changed`
  return appendEvents({ kind: 'vault', type: 'vault.changed', payload, from })
}
