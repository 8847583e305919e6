import { type Kysely, type RawBuilder, sql } from 'kysely'
import { eventPayload } from './append-event.ts'
import { guardedUpdate } from './guarded-update.ts'
import { renewalDue } from './lease.ts'
import { type NamedCopy, namesCopy } from './named-copy.ts'
import { type FailureCode, failures, type Transition, transitions } from './state.ts'
import type { FileRow, FilesDb } from './tables.ts'
import { noteTransition } from './transition-metrics.ts'

interface Details {
  set: RawBuilder<unknown>
  where?: RawBuilder<unknown>
  usage?: RawBuilder<unknown>
  byClaim: boolean
}

async function move(db: Kysely<FilesDb>, { from, to, event }: Transition, file: FileRow, details: Details) {
  const moved = await guardedUpdate(db, {
    ...details,
    file,
    from,
    set: sql`status = ${to}, ${details.set}`,
    event: { type: event, payload: eventPayload(event) },
  })
  if (moved) noteTransition(db, file.status, moved)
  return moved
}

/**
 * uploading → hot, once the object was seen in the store with its declared size, or the network's copy of it was, which is
 * then named; makes sync due.
 */
export function markHot(
  db: Kysely<FilesDb>,
  file: FileRow,
  { copy }: { copy?: NamedCopy } = {},
): Promise<FileRow | null> {
  return move(db, transitions.markHot, file, {
    set: sql`confirmed_at = now(), completing_at = null, sync_due_at = now()${copy ? sql`, ${namesCopy(copy)}` : sql``}`,
    where: sql`not exists (select from vault where vault.id = file.vault_id and vault.deleted_at is not null)`,
    usage: sql`hot_bytes = account.hot_bytes + changed.size_bytes, open_uploads = account.open_uploads - 1`,
    byClaim: false,
  })
}

/** hot → synced, once the network's copy is committed; `sha256` is of the bytes that were stored. */
export function markSynced(
  db: Kysely<FilesDb>,
  file: FileRow,
  copy: { sha256: string; leaseExpiresAt: Date | null; hotRetentionSeconds: number },
): Promise<FileRow | null> {
  const hotUntil = sql`now() + make_interval(secs => ${copy.hotRetentionSeconds})`
  return move(db, transitions.markSynced, file, {
    set: sql`synced_at = now(), sha256 = ${copy.sha256}, lease_expires_at = ${copy.leaseExpiresAt},
      leased_at = now(), renew_due_at = ${renewalDue(copy.leaseExpiresAt)}, sync_due_at = null, hot_until = ${hotUntil}, evict_due_at = ${hotUntil}, evict_attempt = 0`,
    byClaim: true,
  })
}

/** synced → cold, once the proved copy was checked again and the hot object is gone. */
export function markCold(db: Kysely<FilesDb>, file: FileRow): Promise<FileRow | null> {
  return move(db, transitions.markCold, file, {
    set: sql`evicted_at = now(), hot_key = null, hot_until = null, evicting_at = null, evict_due_at = null`,
    where: sql`evicting_at is not null`,
    usage: sql`hot_bytes = account.hot_bytes - changed.size_bytes`,
    byClaim: true,
  })
}

/** → error: given up for good. Hot bytes are kept; `hotCopyGone` says that there are none. */
export function markFailed(
  db: Kysely<FilesDb>,
  file: FileRow,
  code: FailureCode,
  { hotCopyGone = false }: { hotCopyGone?: boolean } = {},
): Promise<FileRow | null> {
  const losesHotCopy = hotCopyGone && file.hotKey !== null
  return move(db, transitions.markFailed, file, {
    set: sql`errored_at = now(), error_code = ${code}, error = ${failures[code]}, evicting_at = null,
      sync_due_at = null, evict_due_at = null, rehydrate_due_at = null, renew_due_at = null,
      hot_until = null ${losesHotCopy ? sql`, hot_key = null` : sql``}`,
    ...(losesHotCopy && { usage: sql`hot_bytes = account.hot_bytes - changed.size_bytes` }),
    byClaim: true,
  })
}

/**
 * error → hot, for a file whose bytes are in the hot tier: everything after confirm begins anew. Not while somebody may
 * still be at work for it.
 */
export function markRetried(db: Kysely<FilesDb>, file: FileRow): Promise<FileRow | null> {
  return move(db, transitions.markRetried, file, {
    set: sql`error = null, error_code = null, errored_at = null, sync_attempt = 0, sync_due_at = now(),
      synced_at = null, lease_expires_at = null, leased_at = null, evict_attempt = 0, evicted_at = null`,
    where: sql`hot_key is not null and (claimed_until is null or claimed_until <= now())`,
    byClaim: false,
  })
}
