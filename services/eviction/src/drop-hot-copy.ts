import { handBack } from '@tideport/file-lifecycle/attempts'
import type { StepContext } from '@tideport/file-lifecycle/handle-job'
import type { HotTier } from '@tideport/file-lifecycle/hot-tier'
import { recordDropped } from '@tideport/file-lifecycle/rehydration'
import type { FileRow } from '@tideport/file-lifecycle/tables'
import { markCold } from '@tideport/file-lifecycle/transitions'
import { writeClaimed } from '@tideport/file-lifecycle/write-claimed'
import { failpoint } from '@tideport/service-kit/failpoint'
import type { EvictDeps, EvictOutcome } from './deps.ts'

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
