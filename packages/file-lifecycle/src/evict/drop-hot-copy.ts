import { failpoint } from '@tideport/service-kit/process/failpoint'
import type { HotTier } from '../hot-tier/hot-tier.ts'
import { recordDropped } from '../rehydrate/rehydration.ts'
import type { FileRow } from '../state/tables.ts'
import { markCold } from '../state/transitions.ts'
import { handBack } from '../work/attempts.ts'
import type { StepContext } from '../work/handle-job.ts'
import { writeClaimed } from '../work/write-claimed.ts'
import type { EvictDeps, EvictOutcome } from './evict-deps.ts'

/**
 * Deletes the hot object of a file whose copy was just checked, then says so. A crash in between repeats both; reads
 * fall through to the network meanwhile.
 */
export async function dropHotCopy(
  { db, hotTier, rate }: Pick<EvictDeps, 'db' | 'hotTier' | 'rate'>,
  file: FileRow,
  { signal }: StepContext,
): Promise<EvictOutcome> {
  const waitSeconds = await rate.take()
  if (waitSeconds > 0) {
    await handBack(db, file, 'evict', waitSeconds)
    return 'rate_capped'
  }
  await failpoint('evict.before-delete')
  signal.throwIfAborted()
  if (file.status === 'cold') await clearRehydrated(hotTier, file, signal)
  else if (file.hotKey !== null) await hotTier.remove(file.hotKey, signal)
  await failpoint('evict.after-delete')
  const cold = await writeClaimed(db, file, (current) =>
    current.status === 'cold' ? recordDropped(db, current) : markCold(db, current),
  )
  return cold ? 'evicted' : 'superseded'
}

/** Our own uploads under the key come first: one that was left open could make the object again. */
async function clearRehydrated(hotTier: HotTier, file: FileRow, signal: AbortSignal): Promise<void> {
  const key = file.hotKey ?? file.rehydrateKey
  if (key === null) return
  await hotTier.abortUploads(key)
  signal.throwIfAborted()
  await hotTier.remove(key, signal)
}
