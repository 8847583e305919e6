import type { Kysely } from 'kysely'
import type { HotTier } from '../hot-tier/hot-tier.ts'
import { CLAIM_SECONDS } from '../state/state.ts'
import type { FileRow, FilesDb } from '../state/tables.ts'
import { markRetried } from '../state/transitions.ts'

export interface RetryDeps {
  db: Kysely<FilesDb>
  hotTier: Pick<HotTier, 'head'>
  settleSeconds: number
}

/**
 * `wrong_bytes`: they are not what was announced, and will never be. `settling`: work on the file may not have ended yet.
 * `no_bytes`: they are not in the hot tier. `changed`: somebody was quicker.
 */
export type Retry =
  | { outcome: 'retried'; file: FileRow }
  | { outcome: 'settling'; waitSeconds: number }
  | { outcome: 'not_in_error' | 'wrong_bytes' | 'no_bytes' | 'changed' }

const wrongBytes: readonly (string | null)[] = ['checksum_mismatch', 'size_mismatch']

/** error → hot while the bytes are in the hot tier (docs/file-lifecycle.md §6). `file` comes with its `now()`. */
export async function retryFile(
  { db, hotTier, settleSeconds }: RetryDeps,
  file: FileRow & { seenAt: Date },
  { signal }: { signal: AbortSignal },
): Promise<Retry> {
  if (file.status !== 'error') return { outcome: 'not_in_error' }
  if (wrongBytes.includes(file.errorCode)) return { outcome: 'wrong_bytes' }
  const waitSeconds = secondsUntilSettled(file, settleSeconds)
  if (waitSeconds > 0) return { outcome: 'settling', waitSeconds }
  const hasHotBytes = file.hotKey !== null && (await hotTier.head(file.hotKey, signal)) === file.sizeBytes
  if (!hasHotBytes) return { outcome: 'no_bytes' }
  const retried = await markRetried(db, file)
  return retried ? { outcome: 'retried', file: retried } : { outcome: 'changed' }
}

/**
 * A deletion that eviction had begun may still reach the store: after its error nobody relies on the hot copy until
 * that is over. Only what was synced is evicted.
 */
function secondsUntilSettled(file: FileRow & { seenAt: Date }, settleSeconds: number): number {
  const claimEnds = file.claimedUntil?.getTime() ?? 0
  const failedAt = file.erroredAt?.getTime() ?? 0
  const settled = file.syncedAt === null ? 0 : failedAt + (CLAIM_SECONDS + settleSeconds) * 1000
  return Math.ceil((Math.max(claimEnds, settled) - file.seenAt.getTime()) / 1000)
}
