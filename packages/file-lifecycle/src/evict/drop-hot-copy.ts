import type { HotTier } from '@tideport/hot-tier/hot-tier'
import { failpoint } from '@tideport/service-kit/process/failpoint'
import { reconcileFile } from '../copies/reconcile-file.ts'
import { recordDropped } from '../rehydrate/rehydration.ts'
import type { FileRow } from '../state/tables.ts'
import { markCold } from '../state/transitions.ts'
import { claimOn } from '../work/claim.ts'
import type { StepContext } from '../work/handle-job.ts'
import { writeClaimed } from '../work/write-claimed.ts'
import type { EvictDeps, EvictOutcome } from './evict-deps.ts'

/**
 * Deletes the hot object of a file whose copy was just checked, then says so. A crash in between repeats both; reads
 * fall through to the network meanwhile.
 */
export async function dropHotCopy(
  deps: Pick<EvictDeps, 'db' | 'writes' | 'hotTier' | 'networks' | 'rate' | 'settleSeconds'>,
  file: FileRow,
  { signal }: StepContext,
): Promise<EvictOutcome> {
  const { db, writes, hotTier, networks, rate } = deps
  const waitSeconds = await rate.take()
  if (waitSeconds > 0) {
    await claimOn(db, file).handBack('evict', waitSeconds)
    return 'rate_capped'
  }
  await failpoint('evict.before-delete')
  signal.throwIfAborted()
  if (file.status === 'cold') await clearRehydrated(hotTier, file, signal)
  else if (file.hotKey !== null) await hotTier.remove(file.hotKey, signal)
  await failpoint('evict.after-delete')
  const cold = await writeClaimed(db, file, (current) =>
    current.status === 'cold' ? recordDropped(db, current) : markCold(writes, current, networks),
  )
  if (!cold) return 'superseded'
  // Copies that were to be let go waited for the end of the eviction.
  await reconcileFile(deps, file.id)
  return 'evicted'
}

/** Our own uploads under the key come first: one that was left open could make the object again. */
async function clearRehydrated(hotTier: HotTier, file: FileRow, signal: AbortSignal): Promise<void> {
  const key = file.hotKey ?? file.rehydrateKey
  if (key === null) return
  await hotTier.abortUploads(key)
  signal.throwIfAborted()
  await hotTier.remove(key, signal)
}
