import { type Kysely, sql } from 'kysely'
import { timelinePayload } from '../state/append-event.ts'
import { guardedUpdate } from '../state/guarded-update.ts'
import { isLive } from '../state/live-file.ts'
import { type NamedCopy, namesCopy } from '../state/named-copy.ts'
import type { FileRow, FilesDb } from '../state/tables.ts'

/** How a claimed step ended without a change of status: written to the row, so no message ends without a row saying so. */

const after = (seconds: number) => sql`now() + make_interval(secs => ${seconds})`

/** A sync attempt failed: counted, and due again after `delaySeconds`. */
export function recordSyncFailure(
  db: Kysely<FilesDb>,
  file: FileRow,
  { reason, delaySeconds }: { reason: string; delaySeconds: number },
): Promise<FileRow | null> {
  return guardedUpdate(db, {
    file,
    from: ['hot'],
    byClaim: true,
    set: sql`sync_attempt = sync_attempt + 1, sync_due_at = ${after(delaySeconds)}`,
    event: { type: 'sync.failed', payload: timelinePayload({ attempt: file.syncAttempt + 1, reason, delaySeconds }) },
  })
}

/** The copy's id is written before the copy is made permanent: the row names a thing before it exists. */
export async function recordNetworkCopy(db: Kysely<FilesDb>, file: FileRow, copy: NamedCopy): Promise<FileRow | null> {
  const result = await sql<FileRow>`
    update file set ${namesCopy(copy)}, version = version + 1, updated_at = now()
    where id = ${file.id} and version = ${file.version} and claims = ${file.claims} and status = 'hot'
      and ${isLive}
    returning *`.execute(db)
  return result.rows[0] ?? null
}

const dueColumns = {
  sync: sql`sync_due_at`,
  evict: sql`evict_due_at`,
  rehydrate: sql`rehydrate_due_at`,
  renewal: sql`renew_due_at`,
}

/** Hands a claimed step back untried, e.g. while the network is down or on shutdown: not an attempt. */
export async function handBack(
  db: Kysely<FilesDb>,
  file: FileRow,
  step: keyof typeof dueColumns,
  delaySeconds: number,
): Promise<void> {
  const column = dueColumns[step]
  await sql`
    update file set claimed_until = null, poison = 0,
      ${column} = case when ${column} is not null then ${after(delaySeconds)} end
    where id = ${file.id} and claims = ${file.claims}`.execute(db)
}

/** The network's copy was read back in full: downloads are service URLs from here, and deletion follows after `waitSeconds`. */
export function beginEvicting(
  db: Kysely<FilesDb>,
  file: FileRow,
  { waitSeconds, leaseExpiresAt }: { waitSeconds: number; leaseExpiresAt: Date | null },
): Promise<FileRow | null> {
  return guardedUpdate(db, {
    file,
    from: ['synced', 'cold'],
    byClaim: true,
    set: sql`evicting_at = now(), evict_due_at = ${after(waitSeconds)}, evict_attempt = 0, lease_expires_at = ${leaseExpiresAt}`,
    event: { type: 'evict.proved', payload: timelinePayload({ sha256: file.sha256, sizeBytes: file.sizeBytes }) },
  })
}

/** A proof or re-check did not hold: the bytes stay, the whole proof is due again. `counts` when the network itself said so. */
export function recordEvictionFailure(
  db: Kysely<FilesDb>,
  file: FileRow,
  { reason, delaySeconds, counts }: { reason: string; delaySeconds: number; counts: boolean },
): Promise<FileRow | null> {
  return guardedUpdate(db, {
    file,
    from: ['synced', 'cold'],
    byClaim: true,
    set: sql`evict_attempt = evict_attempt + ${counts ? 1 : 0}, evict_due_at = ${after(delaySeconds)}`,
    event: {
      type: 'evict.refused',
      payload: timelinePayload({ attempt: file.evictAttempt + 1, reason, delaySeconds }),
    },
  })
}
