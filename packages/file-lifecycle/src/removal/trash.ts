import { currentCause } from '@tideport/service-kit/context/request-context'
import { type Kysely, type RawBuilder, sql } from 'kysely'
import { appendEvents, eventPayload } from '../state/append-event.ts'
import { blobIdIn, type NetworkNames } from '../state/file-copies.ts'
import { changeStatement, type FileChange, type Guarded, guardedUpdates } from '../state/guarded-update.ts'
import { untilTaken } from '../state/queries.ts'
import { CONFIRMED } from '../state/state.ts'
import type { FileRow, FilesDb } from '../state/tables.ts'
import { findOccupant, intoTrash, takingPaths } from '../state/take-path.ts'
import { alone, type ManyRows } from '../state/writes.ts'

export interface OwnFile {
  accountId: string
  fileId: string
}

/**
 * Moves a confirmed file to the trash. Claims stay, because a worker may still act, but its writes are refused. `where`:
 * a further condition on `file`. Null: missing, not confirmed, in the trash, or not meeting the condition.
 */
export function trashFile(
  db: Kysely<FilesDb>,
  file: OwnFile,
  {
    retentionSeconds,
    networks,
    where = sql`true`,
  }: { retentionSeconds: number; networks: Pick<NetworkNames, 'order'>; where?: RawBuilder<unknown> },
): Promise<FileRow | null> {
  return moveTrash(db, file, {
    set: intoTrash(retentionSeconds),
    where: sql`status <> 'uploading' and deleted_at is null and ${where}`,
    liveFiles: sql`-1`,
    event: 'file.deleted',
    networks,
  })
}

/** The same for an expired file, with the reason in its event. Null: it got another expiry, or was trashed. */
export function trashExpired(
  db: Kysely<FilesDb>,
  { id: fileId, accountId }: FileRow,
  { retentionSeconds, networks }: { retentionSeconds: number; networks: Pick<NetworkNames, 'order'> },
): Promise<FileRow | null> {
  return moveTrash(
    db,
    { fileId, accountId },
    {
      set: sql`${intoTrash(retentionSeconds)}, claimed_until = null, task_failures = 0`,
      where: sql`status <> 'uploading' and deleted_at is null and expires_at <= now()`,
      liveFiles: sql`-1`,
      event: 'file.deleted',
      facts: { reason: 'expired' },
      networks,
    },
  )
}

/** A restored file keeps its expiry only if that is in the future. */
export const endAhead = sql`case when expires_at > now() then expires_at end`

export interface Restoring {
  evictWaitSeconds: number
  networks: Pick<NetworkNames, 'order'>
}

/**
 * Restores a file, as one of several at its path, and makes its due work due again. An evicting file still waits
 * `evictWaitSeconds`, until its last presigned URL has expired. Null: the file is not in the trash, its vault is, or
 * another file replaced it (`swapBack`).
 */
export function restoreFile(
  db: Kysely<FilesDb>,
  file: OwnFile,
  { evictWaitSeconds, networks }: Restoring,
): Promise<FileRow | null> {
  return moveTrash(db, file, {
    set: sql`deleted_at = null, purge_due_at = null, on_conflict = 'keep', evict_due_at = ${dueAgain(evictWaitSeconds)},
      expires_at = ${endAhead}`,
    where: sql`deleted_at is not null and replaced_by is null
      and exists (select from vault where vault.id = file.vault_id and vault.deleted_at is null)`,
    liveFiles: sql`1`,
    event: 'file.restored',
    networks,
  })
}

export function dueAgain(evictWaitSeconds: number): RawBuilder<unknown> {
  return sql`case status
    when 'synced' then greatest(now(), hot_until, evicting_at + make_interval(secs => ${evictWaitSeconds}))
    when 'cold' then evict_due_at end`
}

interface Move {
  set: RawBuilder<unknown>
  where: RawBuilder<unknown>
  /** Counters of a vault exclude the trash, those of the account include it. */
  liveFiles: RawBuilder<unknown>
  event: string
  facts?: Record<string, string>
  networks: Pick<NetworkNames, 'order'>
}

async function moveTrash(db: Kysely<FilesDb>, { accountId, fileId }: OwnFile, move: Move): Promise<FileRow | null> {
  const more = sql`${JSON.stringify(move.facts ?? {})}::jsonb`
  const payload = eventPayload(move.event, { blobId: blobIdIn(move.networks), more })
  const { rows } = await sql<FileRow>`
    with changed as (
      update file set ${move.set}, version = version + 1, updated_at = now()
      where id = ${fileId} and account_id = ${accountId} and purging_at is null and ${move.where}
      returning *
    ), home as (
      update vault set file_count = vault.file_count + (${move.liveFiles}),
        storage_bytes = vault.storage_bytes + (${move.liveFiles}) * changed.size_bytes
      from changed where vault.id = changed.vault_id
    ), told as (
      ${appendEvents({ kind: 'file', type: move.event, payload, from: sql`changed` })}
    )
    select * from changed`.execute(db)
  return rows[0] ?? null
}

export type Swapping = Restoring & {
  retentionSeconds: number
  /** `fail`: a file whose path is taken stays in the trash. */
  onConflict: 'fail' | 'replace'
}

/** Restores replaced files. Throws if another write takes the same path, which aborts a transaction. */
export const swaps: ManyRows<Guarded & Swapping, FileRow> = {
  waitsWith: ({ file }) => file.accountId,
  write: (db, items, held) => guardedUpdates(db, items, changeStatement(swappingLike(items[0]), held)),
}
const swapping = takingPaths(swaps)

function swappingLike({ evictWaitSeconds, retentionSeconds, networks, onConflict }: Swapping): FileChange<Guarded> {
  return {
    from: CONFIRMED,
    inTrashToo: true,
    where: sql`file.deleted_at is not null and file.replaced_by is not null
      and (select vault.deleted_at is null from vault where vault.id = file.vault_id)`,
    set: {
      deletedAt: sql`null`,
      purgeDueAt: sql`null`,
      onConflict: sql`${onConflict}::text`,
      evictDueAt: dueAgain(evictWaitSeconds),
      expiresAt: endAhead,
    },
    takesPath: {
      key: sql`file.key`,
      onConflict: sql`${onConflict}::text`,
      comesBack: true,
      retentionSeconds,
      networks,
    },
    events: [{ type: 'file.restored', payload: eventPayload('file.restored', { blobId: blobIdIn(networks) }) }],
  }
}

/**
 * Restores a file that was replaced, and trashes the file at its path, in one statement. Null: it cannot be restored,
 * its path is taken, or other writes repeatedly came first.
 */
export function swapBack(db: Kysely<FilesDb>, file: FileRow, restoring: Swapping): Promise<FileRow | null> {
  const write = (current: FileRow) => alone(db).write(swapping, { file: current, ...restoring, cause: currentCause() })
  return untilTaken(db, file, write, async (again) => {
    if (again.deletedAt === null || again.purgingAt !== null) return false
    return restoring.onConflict === 'replace' || (await findOccupant(db, again)) === null
  })
}
