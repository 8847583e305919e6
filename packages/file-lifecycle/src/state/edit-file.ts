import { type Kysely, type RawBuilder, sql } from 'kysely'
import { appendEvents } from './append-event.ts'
import { isLive } from './live-file.ts'
import type { FileRow, FilesDb } from './tables.ts'

/** What an owner may change of a file whose bytes never change. */
export interface FileEdit {
  name?: string | undefined
  wrappedKey?: string | undefined
}

/** Nobody else decides on a name or a wrapped key, so the version stays. Null: gone or thrown away. */
export async function editFile(db: Kysely<FilesDb>, file: FileRow, edit: FileEdit): Promise<FileRow | null> {
  const { rows } = await sql<FileRow & Before>`
    with before as (
      select id as before_id, name as name_before, vault_id as vault_before from file
      where id = ${file.id} and ${isLive} for no key update
    ), changed as (
      update file set ${assignments(edit)} from before where file.id = before_id
      returning file.*, name_before, vault_before
    ), told as (${fileChanged(edit)})
    select * from changed`.execute(db)
  return rows[0] ? asRow(rows[0]) : null
}

interface Before {
  nameBefore: string
  vaultBefore: string
}

function asRow({ nameBefore: _, vaultBefore: __, ...row }: FileRow & Before): FileRow {
  return row
}

/** What changed of the rows of `changed`, and from what; of a wrapped key only that it did. */
function fileChanged({ wrappedKey }: FileEdit): RawBuilder<unknown> {
  const isRewrapped = wrappedKey !== undefined
  const payload = sql`jsonb_strip_nulls(jsonb_build_object('name', name,
    'nameBefore', case when name <> name_before then name_before end, 'vaultId', vault_id,
    'vaultIdBefore', case when vault_id <> vault_before then vault_before end,
    'isRewrapped', ${isRewrapped || null}::boolean))`
  const from = sql`changed where name <> name_before or vault_id <> vault_before or ${isRewrapped}`
  return appendEvents({ kind: 'file', type: 'file.changed', payload, from })
}

/**
 * Moves the file with its counters, all in one transaction: file, then the two vaults in the order of their ids, by
 * locks that its foreign key need not wait for. Null: thrown away, moved by somebody else, or one of the vaults is in
 * the trash.
 */
export async function moveFile(
  db: Kysely<FilesDb>,
  file: FileRow,
  { vaultId, ...edit }: FileEdit & { vaultId: string },
): Promise<FileRow | null> {
  const statement = sql<FileRow & Before & { liveHomes: number }>`
    with before as (
      select id as before_id, name as name_before, vault_id as vault_before from file
      where id = ${file.id} and vault_id = ${file.vaultId} and ${isLive} for no key update
    ), changed as (
      update file set ${assignments(edit)}, vault_id = ${vaultId}, version = version + 1
      from before where file.id = before_id
      returning file.*, name_before, vault_before
    ), homes as (
      select id from vault
      where id in (${file.vaultId}, ${vaultId}) and deleted_at is null and exists (select from changed)
      order by id for no key update
    ), counted as (
      update vault set storage_bytes = vault.storage_bytes + (${sign(vaultId)}) * changed.size_bytes,
        file_count = vault.file_count + (${sign(vaultId)})
      from changed, homes where vault.id = homes.id
    ), told as (${fileChanged(edit)})
    select *, (select count(*) from homes) as live_homes from changed`
  const overtaken = Symbol('overtaken')
  try {
    return await db.transaction().execute(async (trx) => {
      const [row] = (await statement.execute(trx)).rows
      if (row === undefined) return null
      const { liveHomes, ...moved } = row
      // A vault was thrown away, or both were, since they were looked at: the move is taken back.
      if (liveHomes !== 2) throw overtaken
      return asRow(moved)
    })
  } catch (error) {
    if (error === overtaken) return null
    throw error
  }
}

function assignments({ name, wrappedKey }: FileEdit): RawBuilder<unknown> {
  const changes = [sql`updated_at = now()`]
  if (name !== undefined) changes.push(sql`name = ${name}`)
  if (wrappedKey !== undefined) changes.push(sql`wrapped_key = ${wrappedKey}`)
  return sql.join(changes)
}

function sign(vaultId: string): RawBuilder<unknown> {
  return sql`case when vault.id = ${vaultId} then 1 else -1 end`
}
