import type { FileRow } from '../state/tables.ts'
import { markFailed } from '../state/transitions.ts'
import { recordEvictionFailure } from '../work/attempts.ts'
import type { StepContext } from '../work/handle-job.ts'
import { writeClaimed } from '../work/write-claimed.ts'
import type { EvictDeps, EvictOutcome } from './evict-deps.ts'

const PROOFS_MAX = 3

type RefuseDeps = Pick<EvictDeps, 'db' | 'hotTier' | 'log' | 'evictionRetryBaseSeconds'>

/**
 * The copy is absent or wrong by the network's own answer, or cannot be read while others can: the hot bytes stay and the
 * whole proof is due again. In error after the third time, or at once when an evicting file has no hot bytes any more; but
 * a copy that cannot be read is not given up while it is the only one.
 */
export async function refuseEviction(
  deps: RefuseDeps,
  file: FileRow,
  reason: 'absent' | 'mismatch' | 'unreadable' | 'unexpected',
  { signal }: StepContext,
): Promise<EvictOutcome> {
  const { db, hotTier, log } = deps
  const hotCopyGone = file.hotKey === null || (await hotTier.head(file.hotKey, signal)) === null
  if (reason === 'unreadable' && hotCopyGone) return await postponeEviction(deps, file, reason)
  const refusal = { reason, delaySeconds: deps.evictionRetryBaseSeconds * 2 ** file.evictAttempt, counts: true }
  const refused = await writeClaimed(db, file, (current) => recordEvictionFailure(db, current, refusal))
  if (!refused) return 'superseded'
  log.error({ fileId: file.id, attempt: refused.evictAttempt, reason, hotCopyGone }, 'copy on the network not proved')
  const isFinal = refused.evictAttempt >= PROOFS_MAX || (hotCopyGone && refused.evictingAt !== null)
  if (!isFinal) return 'refused'
  const failed = await writeClaimed(db, refused, (current) => markFailed(db, current, 'proof_failed', { hotCopyGone }))
  return failed ? 'gave_up' : 'superseded'
}

/** Something else stands against it: due again later, for as long as it takes. */
export async function postponeEviction(
  { db, evictionRetryBaseSeconds: delaySeconds }: RefuseDeps,
  file: FileRow,
  reason: 'short_lease' | 'unreadable' | 'unexpected',
): Promise<EvictOutcome> {
  const refusal = { reason, delaySeconds, counts: false }
  const refused = await writeClaimed(db, file, (current) => recordEvictionFailure(db, current, refusal))
  return refused ? 'refused' : 'superseded'
}
