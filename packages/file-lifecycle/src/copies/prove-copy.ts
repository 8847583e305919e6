import { failpoint } from '@tideport/service-kit/process/failpoint'
import type { Log } from '@tideport/service-kit/telemetry/logger'
import type { Proof, StorageNetwork } from '@tideport/storage-network/storage-network'
import type { Kysely } from 'kysely'
import { type ClaimedCopy, markLost, markProved, nameOf } from '../state/copy-transitions.ts'
import { isNamed } from '../state/file-copies.ts'
import type { FilesDb } from '../state/tables.ts'
import type { OfCopy, StepContext } from '../work/handle-job.ts'
import { writeCopy } from '../work/write-claimed.ts'
import { failureReason } from './failures.ts'
import type { Networks } from './networks.ts'
import { reconcileFile } from './reconcile-file.ts'
import { recordAttempt } from './record-attempt.ts'

const PROOFS_MAX = 3
const DOUBLINGS_MAX = 6

export interface ProveDeps {
  db: Kysely<FilesDb>
  networks: Networks
  log: Log
  evictionRetryBaseSeconds: number
  copyCheckSeconds: number
  settleSeconds: number
}

export type ProveOutcome = 'proved' | 'refused' | 'retry' | 'lost' | 'superseded'

/**
 * stored → proved (docs/file-lifecycle.md §6): the copy is read back in full under its reference. What the network
 * denies, or has other bytes for, three times, is lost: to be stored again, from wherever the bytes are.
 */
export function proveCopy(deps: ProveDeps, network: StorageNetwork): OfCopy<ProveOutcome> {
  return {
    name: 'prove',
    work: (claimed, context) => prove(deps, network, claimed, context),
    fail: (claimed, error) => later(deps, claimed, failureReason(error), false),
    follow: (fileId) => reconcileFile(deps, fileId),
  }
}

async function prove(
  deps: ProveDeps,
  network: StorageNetwork,
  claimed: ClaimedCopy,
  { signal }: StepContext,
): Promise<ProveOutcome> {
  const { db, log, copyCheckSeconds } = deps
  const proof = await readBack(network, claimed, signal)
  await failpoint('prove.after-reading')
  if (!proof.ok) {
    const { reason } = proof
    log.error({ fileId: claimed.file.id, network: network.name, reason }, 'a copy was not proved')
    if (claimed.copy.attempt + 1 < PROOFS_MAX) return await later(deps, claimed, reason, true)
    return await lose(deps, claimed, reason)
  }
  const held = { leaseExpiresAt: proof.expiresAt, checkSeconds: spread(copyCheckSeconds) }
  const proved = await writeCopy(db, claimed, (current) => markProved(db, current, held))
  if (!proved) return 'superseded'
  await failpoint('prove.after-row')
  await reconcileFile(deps, claimed.file.id)
  return 'proved'
}

/** Copies that were stored together are not checked together. */
export function spread(seconds: number): number {
  return seconds * (0.5 + Math.random())
}

export async function readBack(
  network: StorageNetwork,
  { file, copy }: ClaimedCopy,
  signal: AbortSignal,
): Promise<Proof> {
  if (!isNamed(copy)) return { ok: false, reason: 'absent' }
  return await network.prove(nameOf(copy), { sha256: file.sha256 ?? '', sizeBytes: file.sizeBytes }, signal)
}

/** To be stored again; the file's other copies, and its hot bytes, stay what they are. */
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

async function later(deps: ProveDeps, claimed: ClaimedCopy, reason: string, counts: boolean): Promise<ProveOutcome> {
  const doublings = Math.min(claimed.copy.attempt, DOUBLINGS_MAX)
  const delaySeconds = deps.evictionRetryBaseSeconds * 2 ** doublings
  const recorded = await recordAttempt(deps.db, claimed, { step: 'prove', reason, delaySeconds, counts })
  if (!recorded) return 'superseded'
  return counts ? 'refused' : 'retry'
}
