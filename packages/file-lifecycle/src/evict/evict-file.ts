import { NetworkError } from '@tideport/storage-network/errors'
import { type CopyCheck, checkCopy } from '../copies/check-copy.ts'
import type { FileRow } from '../state/tables.ts'
import { beginEvicting, handBack } from '../work/attempts.ts'
import type { Step, StepContext } from '../work/handle-job.ts'
import { writeClaimed } from '../work/write-claimed.ts'
import { dropHotCopy } from './drop-hot-copy.ts'
import type { EvictDeps, EvictOutcome } from './evict-deps.ts'
import { postponeEviction, refuseEviction } from './refuse-eviction.ts'

const DRY_RUN_AGAIN_SECONDS = 3600

/**
 * synced → cold in two claims (docs/file-lifecycle.md §6): the first proves the copy and stops presigned downloads; the
 * second, when the last of their URLs has run out, drops the hot object. Repeating either is harmless. Bytes that were
 * brought back to a cold file go the same way (§8); what a rehydration that gave up may have left goes at once.
 */
export function evictFile(deps: EvictDeps): Step<EvictOutcome> {
  return {
    name: 'evict',
    work: (file, context) => evict(deps, file, context),
    fail: (file, error, context) => {
      if (isUnreadable(error)) return refuseEviction(deps, file, 'unreadable', context)
      // Once it is evicting the deletion may have begun, and from there the only way is to cold.
      return file.evictingAt === null && file.hotKey !== null
        ? refuseEviction(deps, file, 'unexpected', context)
        : postponeEviction(deps, file, 'unexpected')
    },
    // Bytes that were brought back are a convenience: dropping them is tried for as long as it takes.
    poisoned: (file) => (file.status === 'cold' ? postponeEviction(deps, file, 'unexpected') : null),
  }
}

function isUnreadable(error: unknown): boolean {
  return error instanceof NetworkError && error.code === 'copy_failed'
}

async function evict(deps: EvictDeps, file: FileRow, context: StepContext): Promise<EvictOutcome> {
  const { db, network } = deps
  if (file.status === 'cold' && file.hotKey === null) return await dropHotCopy(deps, file, context)
  const check = await checkCopy(network, file, context.signal)
  if (deps.evictionDryRun) return await reportOnly(deps, file, check)
  if (!check.holds) {
    return check.reason === 'short_lease'
      ? await postponeEviction(deps, file, check.reason)
      : await refuseEviction(deps, file, check.reason, context)
  }
  if (file.evictingAt !== null) return await dropHotCopy(deps, file, context)

  const proof = {
    leaseExpiresAt: check.leaseExpiresAt,
    waitSeconds: deps.downloadUrlSeconds + deps.clockSkewSeconds,
  }
  const evicting = await writeClaimed(db, file, (current) => beginEvicting(db, current, proof))
  return evicting ? 'evicting' : 'superseded'
}

async function reportOnly({ db, log }: EvictDeps, file: FileRow, check: CopyCheck): Promise<EvictOutcome> {
  log.info({ fileId: file.id, sizeBytes: file.sizeBytes, check }, 'dry run, hot copy kept')
  await handBack(db, file, 'evict', DRY_RUN_AGAIN_SECONDS)
  return 'dry_run'
}
