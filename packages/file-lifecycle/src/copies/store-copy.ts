import type { HotTier } from '@tideport/hot-tier/hot-tier'
import { failpoint } from '@tideport/service-kit/process/failpoint'
import type { Log } from '@tideport/service-kit/telemetry/logger'
import { NetworkError } from '@tideport/storage-network/errors'
import type { StagedBlob, StorageNetwork } from '@tideport/storage-network/storage-network'
import type { Kysely } from 'kysely'
import { type ClaimedCopy, markCopyFailed, markStored, nameCopy } from '../state/copy-transitions.ts'
import { type FileCopies, holdsBytes, isNamed } from '../state/file-copies.ts'
import type { FailureCode } from '../state/state.ts'
import type { FileRow, FilesDb } from '../state/tables.ts'
import { markFailed } from '../state/transitions.ts'
import type { Writes } from '../state/writes.ts'
import { writeCopy } from '../work/claim-step.ts'
import {
  checkSoon,
  comesOfLoss,
  failureReason,
  permanentFailure,
  recordAttempt,
  retryDelaySeconds,
  SourceError,
} from '../work/failures.ts'
import type { OfCopy, StepContext } from '../work/handle-job.ts'
import type { Networks } from './networks.ts'
import { assertSameAgain, assertStored, findHeld, openCheck, openSource } from './open-source.ts'
import { reconcileFile, reconcileWritten } from './reconcile.ts'

const DOUBLINGS_MAX = 8

export interface StoreDeps {
  db: Kysely<FilesDb>
  writes: Writes
  hotTier: HotTier
  networks: Networks
  log: Log
  syncAttemptsMax: number
  syncRetryBaseSeconds: number
  hotRetentionSeconds: number
  settleSeconds: number
}

export type StoreOutcome = 'stored' | 'found' | 'retry' | 'gave_up' | 'superseded'

/**
 * planned → stored, on one network (docs/explain/life-of-a-file.md §5). The first copy of a hot file makes it `synced`.
 * After a crash, the step runs again under the same reference, at no cost because equal bytes have equal IDs.
 */
export function storeCopy(deps: StoreDeps, network: StorageNetwork): OfCopy<StoreOutcome> {
  return {
    name: 'store',
    work: (claimed, context) => store(deps, network, claimed, context),
    fail: (claimed, error) => afterFailure(deps, claimed, error),
    abandon: (claimed) => giveUp(deps, claimed, 'interrupted'),
    follow: (fileId) => reconcileFile(deps, fileId),
  }
}

async function store(
  deps: StoreDeps,
  network: StorageNetwork,
  claimed: ClaimedCopy,
  context: StepContext,
): Promise<StoreOutcome> {
  if (!deps.networks.required.includes(network.name)) return 'superseded'
  const lost = await findLost(deps, network, claimed, context)
  if (lost.outcome) return lost.outcome
  const check = await openCheck(deps, claimed.file, context.signal)
  using source = await openSource(deps, claimed, context.signal)
  if (source === null && lost.unreadable) throw lost.unreadable
  if (source === null) return await withoutSource(deps, claimed)
  const { reference } = claimed.copy
  const { sizeBytes } = claimed.file
  const bytes = check?.watch(source.bytes) ?? source.bytes
  const staged = await network.stage(bytes, { reference, sizeBytes, signal: context.signal })
  try {
    const mismatch = compareWithDeclared(claimed.file, staged)
    if (mismatch) await assertSameAgain(deps, claimed, staged.sha256, context.signal)
    else if (check) await assertStored(deps, claimed, { check, sha256: staged.sha256 }, context.signal)
    return mismatch ? await giveUp(deps, claimed, mismatch) : await commit(deps, network, claimed, staged, context)
  } finally {
    // The network drops leftovers later. A failure here must not hide the first error.
    await staged.discard().catch(() => undefined)
  }
}

interface LookForLost {
  outcome?: StoreOutcome
  /** The copy exists but cannot be read. It may be the last one of its bytes, so it does not count as lost. */
  unreadable?: NetworkError
}

/** A lost copy may exist again, e.g. after a volume is mounted or a disk is repaired. */
async function findLost(
  deps: StoreDeps,
  network: StorageNetwork,
  claimed: ClaimedCopy,
  context: StepContext,
): Promise<LookForLost> {
  const { copy } = claimed
  if (copy.lostAt === null || !isNamed(copy)) return {}
  try {
    const found = await findHeld(deps, network, claimed.file, copy, context.signal)
    return found === null ? {} : { outcome: await takeFound(deps, network, claimed, found) }
  } catch (error) {
    const isOfCopy = error instanceof NetworkError && (error.code === 'copy_failed' || error.code === 'no_space')
    if (isOfCopy) return { unreadable: error }
    throw error
  }
}

async function takeFound(
  deps: StoreDeps,
  network: StorageNetwork,
  claimed: ClaimedCopy,
  found: NonNullable<Awaited<ReturnType<typeof findHeld>>>,
): Promise<StoreOutcome> {
  const { file, copy } = claimed
  const { db, writes, networks, hotRetentionSeconds } = deps
  const billedBytes = network.billedBytes(file.sizeBytes)
  const held = { ...found, blobId: copy.blobId ?? '', billedBytes, hotRetentionSeconds }
  await failpoint('store.after-finding')
  const stored = await writeCopy(db, claimed, (current) => markStored(writes, current, networks, held))
  if (!stored) return 'superseded'
  await reconcileFile(deps, file.id)
  return 'found'
}

/** Writes the copy's name to the row before the commit makes the copy permanent. */
async function commit(
  deps: StoreDeps,
  network: StorageNetwork,
  claimed: ClaimedCopy,
  staged: StagedBlob,
  { signal }: StepContext,
): Promise<StoreOutcome> {
  const { db, writes, networks, hotRetentionSeconds } = deps
  const { blobId, ref, sha256 } = staged
  const named = await writeCopy(db, claimed, (current) => nameCopy(writes, current, { blobId, ref }))
  if (!named) return 'superseded'
  await failpoint('store.before-commit')
  signal.throwIfAborted()
  const committed = await staged.commit()
  await failpoint('store.after-commit')
  const billedBytes = network.billedBytes(claimed.file.sizeBytes)
  const lease = { leaseExpiresAt: committed.expiresAt }
  const held = { blobId, sha256, ref: committed.ref, billedBytes, ...lease, hotRetentionSeconds }
  const stored = await writeCopy(db, named, (current) => markStored(writes, current, networks, held))
  if (!stored) return 'superseded'
  await failpoint('store.after-row')
  await reconcileWritten(deps, asStored(stored))
  return 'stored'
}

function asStored({ file, copies, copy }: ClaimedCopy): FileCopies {
  return { file, copies: copies.map((one) => (one.network === copy.network ? { ...one, state: 'stored' } : one)) }
}

function compareWithDeclared(file: FileRow, staged: StagedBlob): FailureCode | null {
  if (staged.sizeBytes !== file.sizeBytes) return 'size_mismatch'
  const expected = file.sha256 ?? file.checksumDeclared?.toLowerCase()
  return expected !== undefined && expected !== staged.sha256 ? 'checksum_mismatch' : null
}

/** Immediately fails a file that was never stored. The bytes of a lost copy may be restored, so its step is retried. */
async function withoutSource(deps: StoreDeps, claimed: ClaimedCopy): Promise<StoreOutcome> {
  const { file, copies } = claimed
  const isHeld = copies.some(holdsBytes)
  if (file.syncedAt === null && !isHeld) return await giveUp(deps, claimed, 'hot_copy_missing')
  // Only this step detects that the store lacks the object. The row keeps the object's key, so bytes that are restored
  // to the store or a network are found.
  if (!isHeld && file.status !== 'error') {
    await markFailed(deps.db, file, deps.networks, 'content_lost')
  }
  const recorded = await retryLater(deps, claimed, 'no_source')
  return recorded ? 'retry' : 'superseded'
}

/** Schedules a retry, or fails the copy if no retry can help or its attempts are used up. */
async function afterFailure(deps: StoreDeps, claimed: ClaimedCopy, error: unknown): Promise<StoreOutcome> {
  const permanent = permanentFailure(error)
  if (permanent) return await giveUp(deps, claimed, permanent)
  if (error instanceof SourceError && error.isDown) {
    return (await retryLater(deps, claimed, 'source_down', false)) ? 'retry' : 'superseded'
  }
  if (error instanceof SourceError && comesOfLoss(error)) await checkSoon(deps.db, claimed.file.id, deps.networks.order)
  const failed = await retryLater(deps, claimed, failureReason(error))
  if (!failed) return 'superseded'
  if (failed.attempt < deps.syncAttemptsMax || claimed.copy.lostAt !== null) return 'retry'
  return await giveUp(deps, { ...claimed, copy: failed }, 'sync_failed')
}

function retryLater({ db, syncRetryBaseSeconds }: StoreDeps, claimed: ClaimedCopy, reason: string, counts = true) {
  const attempts = Math.min(claimed.copy.attempt, DOUBLINGS_MAX)
  const delaySeconds = retryDelaySeconds(syncRetryBaseSeconds, attempts)
  return recordAttempt(db, claimed, { step: 'store', reason, delaySeconds, counts })
}

async function giveUp(deps: StoreDeps, claimed: ClaimedCopy, code: FailureCode): Promise<StoreOutcome> {
  const { db, networks } = deps
  const failed = await writeCopy(db, claimed, (current) => markCopyFailed(db, current, networks, code))
  return failed ? 'gave_up' : 'superseded'
}
