import { currentCause } from '@tideport/service-kit/context/request-context'
import { type Kysely, type RawBuilder, sql } from 'kysely'
import { v7 as uuidv7 } from 'uuid'
import { appendEvents, instantOf } from './append-event.ts'
import { changeStatement, type FileChange, type Guarded, guardedUpdates } from './guarded-update.ts'
import { isLive } from './queries.ts'
import { hasRevisionOf } from './revision.ts'
import { CONFIRMED } from './state.ts'
import { type FileRow, type FilesDb, type OnConflict, orNull } from './tables.ts'
import { type PathTaking, takingPaths } from './take-path.ts'
import { alone, type ManyRows } from './writes.ts'

export interface FileEdit {
  /** Its place among the files at that path. `onConflict` applies to an unconfirmed upload. */
  at?: (Place & { onConflict?: OnConflict | undefined }) | undefined
  wrappedKey?: string | undefined
  /** All pairs. Applied only if the current pairs are unchanged since they were read. */
  metadata?: Record<string, string> | undefined
  tags?: readonly string[] | undefined
  sealedMetadata?: string | null | undefined
  /** ISO 8601; null: never. */
  expiresAt?: string | null | undefined
  /** Applied only if clients have changed nothing since the file was read. */
  isOfRevision?: boolean | undefined
}

export interface Place {
  folder: string
  name: string
}

/** Places the file alongside others at its path. Null: deleted or trashed. */
export async function editFile(db: Kysely<FilesDb>, file: FileRow, edit: FileEdit): Promise<FileRow | null> {
  const { rows } = await sql<FileRow & Before>`
    with before as (
      select id as before_id, name as name_before, path as path_before, vault_id as vault_before from file
      where id = ${file.id} and ${isLive} and ${isAsRead(file, edit)} for no key update
    ), changed as (
      update file set ${assignments(edit, { isMove: false })} from before where file.id = before_id
      returning file.*, name_before, path_before, vault_before
    ), told as (${fileChanged(edit)})
    select * from changed`.execute(db)
  return rows[0] ? asRow(rows[0]) : null
}

interface Before {
  nameBefore: string
  pathBefore: string
  vaultBefore: string
}

function asRow({ nameBefore: _, pathBefore: __, vaultBefore: ___, ...row }: FileRow & Before): FileRow {
  return row
}

/** The event data of the rows of `changed`: the earlier names and paths, and which other fields changed. */
export function fileChanged(edit: FileEdit): RawBuilder<unknown> {
  const flags = flagsOf(edit)
  const from = sql`changed where path <> path_before or vault_id <> vault_before or ${Object.values(flags).includes(true)}`
  return appendEvents({ kind: 'file', type: 'file.changed', payload: changes(flags), from })
}

type Flags = Record<'isRewrapped' | 'isRelabelled' | 'isRescheduled', boolean>

function flagsOf({ wrappedKey, metadata, tags, sealedMetadata, expiresAt }: FileEdit): Flags {
  return {
    isRewrapped: wrappedKey !== undefined,
    isRelabelled: [metadata, tags, sealedMetadata].some((labels) => labels !== undefined),
    isRescheduled: expiresAt !== undefined,
  }
}

function changes({ isRewrapped, isRelabelled, isRescheduled }: Flags): RawBuilder<unknown> {
  return sql`jsonb_strip_nulls(jsonb_build_object('name', name,
    'nameBefore', case when name <> name_before then name_before end,
    'path', case when path <> path_before and path <> name then path end,
    'pathBefore', case when path <> path_before and path_before <> name_before then path_before end,
    'vaultId', vault_id, 'vaultIdBefore', case when vault_id <> vault_before then vault_before end,
    'isRewrapped', ${isRewrapped || null}::boolean, 'isRelabelled', ${isRelabelled || null}::boolean,
    'isRescheduled', ${isRescheduled || null}::boolean, 'expiresAt', ${isRescheduled ? instantOf(sql`expires_at`) : sql`null`}))`
}

/**
 * Moves a file and its counters in one transaction, which locks the file and then the vaults by ID. Null: trashed,
 * moved by another request, or a vault is in the trash.
 */
export async function moveFile(
  db: Kysely<FilesDb>,
  file: FileRow,
  { vaultId, at = file, ...edit }: FileEdit & { vaultId: string },
): Promise<FileRow | null> {
  const statement = sql<FileRow & Before & { liveHomes: number }>`
    with before as (
      select id as before_id, name as name_before, path as path_before, vault_id as vault_before from file
      where id = ${file.id} and vault_id = ${file.vaultId} and ${isLive} and ${isAsRead(file, edit)} for no key update
    ), changed as (
      update file set ${assignments({ at, ...edit }, { isMove: true })}, vault_id = ${vaultId}
      from before where file.id = before_id
      returning file.*, name_before, path_before, vault_before
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
      // A vault was trashed meanwhile, so the move is rolled back.
      if (liveHomes !== 2) throw overtaken
      return asRow(moved)
    })
  } catch (error) {
    if (error === overtaken) return null
    throw error
  }
}

export type Taking = Pick<PathTaking, 'retentionSeconds' | 'networks'> &
  Place & {
    onConflict: OnConflict
    /** Further changes in the same statement, for a single file. */
    edit?: Omit<FileEdit, 'at'>
  }

/** Places files at taken paths. Throws if another write takes the same path, which aborts a transaction. */
export const takings: ManyRows<Guarded & Taking, FileRow> = {
  waitsWith: ({ file }) => file.accountId,
  write: (db, items, held) => guardedUpdates(db, items, changeStatement(takingLike(items[0]), held)),
}
const taking = takingPaths(takings)

function takingLike({ file, edit = {}, retentionSeconds, networks }: Guarded & Taking): FileChange<Guarded & Taking> {
  return {
    from: CONFIRMED,
    given: {
      folder: ['text', ({ folder }) => folder],
      name: ['text', ({ name }) => name],
      how: ['text', ({ onConflict }) => onConflict],
      name_before: ['text', ({ file }) => file.name],
      path_before: ['text', ({ file }) => file.path],
    },
    set: {
      folder: sql`given_folder`,
      name: sql`given_name`,
      rawKey: sql`null`,
      onConflict: sql`given_how`,
      ...changesOf(edit),
    },
    where: isAsRead(file, edit),
    takesPath: { key: sql`given_folder || given_name`, onConflict: sql`given_how`, retentionSeconds, networks },
    events: [
      {
        type: 'file.changed',
        payload: sql`(select ${changes(flagsOf(edit))} from (
          select given_name_before as name_before, given_path_before as path_before, vault_id as vault_before) as before)`,
      },
    ],
  }
}

/**
 * Places a confirmed file at a path, with all other changes. A file that is already there is trashed, or the write is
 * refused. Null: deleted, refused, or another write came first (`untilTaken`).
 */
export async function takePlace(db: Kysely<FilesDb>, file: FileRow, place: Taking): Promise<FileRow | null> {
  const taken = await alone(db).write(taking, { file, ...place, cause: currentCause() })
  const path = place.folder + place.name
  return taken && { ...taken, path, key: path }
}

/** A concurrent confirm relies on how the upload takes its path, so a move of an upload changes its version. */
function assignments({ at, ...edit }: FileEdit, { isMove }: { isMove: boolean }): RawBuilder<unknown> {
  const changes = [sql`updated_at = now(), uploader_key_id = null`]
  if (at !== undefined) {
    changes.push(sql`folder = ${at.folder}, name = ${at.name}, place_id = ${uuidv7()}, if_occupant = null,
      raw_key = case when path = ${at.folder + at.name} then raw_key end,
      version = version + (case when status = 'uploading' or ${isMove} then 1 else 0 end),
      on_conflict = case when status = 'uploading' then coalesce(${at.onConflict ?? null}, on_conflict) else 'keep' end`)
  }
  changes.push(...Object.entries(changesOf(edit)).map(([column, value]) => sql`${sql.id(column)} = ${value}`))
  return sql.join(changes)
}

function changesOf({ wrappedKey, metadata, tags, sealedMetadata, expiresAt }: Omit<FileEdit, 'at'>) {
  const set: Partial<Record<keyof FileRow, RawBuilder<unknown>>> = {}
  if (wrappedKey !== undefined) set.wrappedKey = sql`${wrappedKey}`
  if (metadata !== undefined) set.metadata = sql`${orNull(metadata)}::jsonb`
  if (tags !== undefined) set.tags = sql`${tags.length === 0 ? null : tags}::text[]`
  if (sealedMetadata !== undefined) set.sealedMetadata = sql`${sealedMetadata}`
  if (expiresAt !== undefined) set.expiresAt = sql`${expiresAt}::timestamptz`
  return set
}

/** The metadata into which the edit was merged are unchanged since they were read, or with a condition everything. */
function isAsRead(file: FileRow, { metadata, isOfRevision = false }: FileEdit): RawBuilder<unknown> {
  if (isOfRevision) return hasRevisionOf(file)
  return metadata === undefined ? sql`true` : sql`file.metadata is not distinct from ${orNull(file.metadata)}::jsonb`
}

function sign(vaultId: string): RawBuilder<unknown> {
  return sql`case when vault.id = ${vaultId} then 1 else -1 end`
}
