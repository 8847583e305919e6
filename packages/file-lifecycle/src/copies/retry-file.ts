import type { HotTier } from '@tideport/hot-tier/hot-tier'
import { type Kysely, sql } from 'kysely'
import { timelinePayload } from '../state/append-event.ts'
import { type NetworkNames, withCopies } from '../state/file-copies.ts'
import { guardedUpdate } from '../state/guarded-update.ts'
import { CLAIM_SECONDS } from '../state/state.ts'
import type { FileRow, FilesDb } from '../state/tables.ts'
import { markRetried } from '../state/transitions.ts'

export interface RetryDeps {
  db: Kysely<FilesDb>
  hotTier: Pick<HotTier, 'head'>
  networks: NetworkNames
  settleSeconds: number
}

/**
 * `wrong_bytes`: permanent. `settling`: earlier work may still run. `no_bytes`: neither the hot tier nor a copy has the
 * bytes, so sync searches for lost copies again. `changed`: another write came first.
 */
export type Retry =
  | { outcome: 'retried'; file: FileRow }
  | { outcome: 'settling'; waitSeconds: number }
  | { outcome: 'not_in_error' | 'wrong_bytes' | 'no_bytes' | 'changed' }

const wrongBytes: readonly (string | null)[] = ['checksum_mismatch', 'size_mismatch']

/** error → hot, synced, or cold, by the file's copies (docs/explain/life-of-a-file.md §6). */
export async function retryFile(
  { db, hotTier, networks, settleSeconds }: RetryDeps,
  file: FileRow & { seenAt: Date },
  { signal }: { signal: AbortSignal },
): Promise<Retry> {
  if (file.status !== 'error') return await retryCopies(db, file, networks)
  if (wrongBytes.includes(file.errorCode)) return { outcome: 'wrong_bytes' }
  const waitSeconds = secondsUntilSettled(file, settleSeconds)
  if (waitSeconds > 0) return { outcome: 'settling', waitSeconds }
  const found = await withCopies(db, file)
  const isHeld = found.copies.some(({ state }) => state === 'stored' || state === 'proved')
  const hasHotBytes =
    file.hotKey !== null && (await hotTier.head(file.hotKey, { sizeBytes: file.sizeBytes, signal })) === file.sizeBytes
  if (!hasHotBytes && !isHeld) {
    await lookForLost(db, file)
    return { outcome: 'no_bytes' }
  }
  const retried = await markRetried(db, found, networks)
  return retried ? { outcome: 'retried', file: retried } : { outcome: 'changed' }
}

/** Sync searches for lost copies again, and a copy that it finds ends the error. */
async function lookForLost(db: Kysely<FilesDb>, { id }: FileRow): Promise<void> {
  await sql`
    update copy set due_at = now()
    where file_id = ${id} and state = 'planned' and lost_at is not null and due_at > now()`.execute(db)
}

/** Plans failed copies of a healthy file again. */
async function retryCopies(db: Kysely<FilesDb>, file: FileRow, { required }: NetworkNames): Promise<Retry> {
  const { copies } = await withCopies(db, file)
  const failed = copies.filter(({ network, state }) => state === 'failed' && required.includes(network))
  if (failed.length === 0) return { outcome: 'not_in_error' }
  const set = sql`state = 'planned', attempt = 0, due_at = now()`
  const retried = await guardedUpdate(db, {
    file,
    from: ['hot', 'synced', 'cold'],
    copies: failed.map(({ network }) => ({ network, set })),
    events: failed.map(({ network }) => ({ type: 'copy.planned', payload: timelinePayload({ network }) })),
  })
  return retried ? { outcome: 'retried', file: retried } : { outcome: 'changed' }
}

/**
 * An interrupted deletion may still reach the store. So the hot copy of a file that was synced is not used until such a
 * deletion must have finished.
 */
function secondsUntilSettled(file: FileRow & { seenAt: Date }, settleSeconds: number): number {
  const claimEnds = file.claimedUntil?.getTime() ?? 0
  const failedAt = file.erroredAt?.getTime() ?? 0
  const settled = file.syncedAt === null ? 0 : failedAt + (CLAIM_SECONDS + settleSeconds) * 1000
  return Math.ceil((Math.max(claimEnds, settled) - file.seenAt.getTime()) / 1000)
}
