import { failpoint } from '@tideport/service-kit/process/failpoint'
import type { Log } from '@tideport/service-kit/telemetry/logger'
import { NetworkError } from '@tideport/storage-network/errors'
import type { Proof, StorageNetwork } from '@tideport/storage-network/storage-network'
import type { Kysely } from 'kysely'
import { type ClaimedCopy, markLost, markProved, nameOf } from '../state/copy-transitions.ts'
import { hasOtherSource, isNamed } from '../state/file-copies.ts'
import type { FilesDb } from '../state/tables.ts'
import type { Writes } from '../state/writes.ts'
import { writeCopy } from '../work/claim-step.ts'
import { failureReason, recordAttempt, restoringSeconds } from '../work/failures.ts'
import type { OfCopy, StepContext } from '../work/handle-job.ts'
import type { Networks } from './networks.ts'
import { noteMended } from './open-source.ts'
import { reconcileFile } from './reconcile.ts'

/** Consecutive proofs that find a copy absent, damaged, or unreadable before it is lost. */
export const PROOFS_MAX = 3
const DOUBLINGS_MAX = 6

export interface ProveDeps {
  db: Kysely<FilesDb>
  writes: Writes
  networks: Networks
  log: Log
  evictionRetryBaseSeconds: number
  copyCheckSeconds: number
  settleSeconds: number
}

export type ProveOutcome = 'proved' | 'refused' | 'retry' | 'lost' | 'superseded'

/**
 * stored → proved (docs/explain/copies-and-proof.md): reads the copy in full under its reference. A copy that is absent
 * or has other bytes three times is lost, and is stored again from any place that has the bytes. A copy that is
 * unreadable three times while the network works otherwise is lost too, if another place has the bytes.
 */
export function proveCopy(deps: ProveDeps, network: StorageNetwork): OfCopy<ProveOutcome> {
  return {
    name: 'prove',
    work: (claimed, context) => prove(deps, network, claimed, context),
    fail: (claimed, error) => afterFailure(deps, claimed, error),
    follow: (fileId) => reconcileFile(deps, fileId),
  }
}

async function prove(
  deps: ProveDeps,
  network: StorageNetwork,
  claimed: ClaimedCopy,
  { signal }: StepContext,
): Promise<ProveOutcome> {
  const { db, writes, log, copyCheckSeconds } = deps
  const proof = await readBack(deps, network, claimed, signal)
  await failpoint('prove.after-reading')
  if (!proof.ok) {
    const { reason } = proof
    log.error({ fileId: claimed.file.id, network: network.name, reason }, 'a copy was not proved')
    if (claimed.copy.attempt + 1 < PROOFS_MAX) return await later(deps, claimed, reason, { counts: true })
    return await lose(deps, claimed, reason)
  }
  const held = { leaseExpiresAt: proof.expiresAt, checkSeconds: spread(copyCheckSeconds) }
  const proved = await writeCopy(db, claimed, (current) => markProved(writes, current, held))
  if (!proved) return 'superseded'
  await failpoint('prove.after-row')
  await reconcileFile(deps, claimed.file.id)
  return 'proved'
}

/** An unreadable copy may be the last one of its bytes. It is then retried without a limit. */
async function afterFailure(deps: ProveDeps, claimed: ClaimedCopy, error: unknown): Promise<ProveOutcome> {
  const restoring = restoringSeconds(error)
  if (restoring !== null)
    return await later(deps, claimed, failureReason(error), { counts: false, delaySeconds: restoring })
  const isUnreadable = error instanceof NetworkError && error.code === 'copy_failed'
  if (isUnreadable && claimed.copy.attempt + 1 >= PROOFS_MAX && hasOtherSource(claimed)) {
    return await lose(deps, claimed, 'unreadable')
  }
  return await later(deps, claimed, failureReason(error), { counts: isUnreadable })
}

/** Spreads the checks of copies that were stored together. */
export function spread(seconds: number): number {
  return seconds * (0.5 + Math.random())
}

/** Reads a copy in full, and records repairs in the log and the timeline. */
export async function readBack(
  deps: Pick<ProveDeps, 'db' | 'log'>,
  network: StorageNetwork,
  { file, copy }: ClaimedCopy,
  signal: AbortSignal,
): Promise<Proof> {
  if (!isNamed(copy)) return { ok: false, reason: 'absent' }
  const expected = { sha256: file.sha256 ?? '', sizeBytes: file.sizeBytes }
  const proof = await network.prove(nameOf(copy), expected, signal)
  await noteMended(deps, copy, proof)
  return proof
}

/** Plans the copy again. The file's other copies and its hot bytes stay unchanged. */
export async function lose(
  deps: Pick<ProveDeps, 'db' | 'networks' | 'settleSeconds' | 'log'>,
  claimed: ClaimedCopy,
  reason: string,
): Promise<'lost' | 'superseded'> {
  await failpoint('lose.before-row')
  const lost = await writeCopy(deps.db, claimed, (current) => markLost(deps.db, current, { reason }))
  if (!lost) return 'superseded'
  deps.log.error({ fileId: claimed.file.id, network: claimed.copy.network, reason }, 'a copy is lost')
  await failpoint('lose.after-row')
  await reconcileFile(deps, claimed.file.id)
  return 'lost'
}

async function later(
  deps: ProveDeps,
  claimed: ClaimedCopy,
  reason: string,
  { counts, delaySeconds = pause(deps, claimed) }: { counts: boolean; delaySeconds?: number },
): Promise<ProveOutcome> {
  const recorded = await recordAttempt(deps.db, claimed, { step: 'prove', reason, delaySeconds, counts })
  if (!recorded) return 'superseded'
  return counts ? 'refused' : 'retry'
}

function pause({ evictionRetryBaseSeconds }: ProveDeps, { copy }: ClaimedCopy): number {
  return evictionRetryBaseSeconds * 2 ** Math.min(copy.attempt, DOUBLINGS_MAX)
}
