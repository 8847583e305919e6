import { failpoint } from '@tideport/service-kit/process/failpoint'
import { NetworkError } from '@tideport/storage-network/errors'
import type { StagedBlob, StorageNetwork } from '@tideport/storage-network/storage-network'
import type { Kysely } from 'kysely'
import type { HotTier } from '../hot-tier/hot-tier.ts'
import type { FailureCode } from '../state/state.ts'
import type { FileRow, FilesDb } from '../state/tables.ts'
import { markFailed, markSynced } from '../state/transitions.ts'
import { recordNetworkCopy, recordSyncFailure } from '../work/attempts.ts'
import type { Step, StepContext } from '../work/handle-job.ts'
import { retryDelaySeconds } from '../work/retry-delay.ts'
import { writeClaimed } from '../work/write-claimed.ts'
import { openSource } from './open-source.ts'
import { failureReason, permanentFailure, SourceError } from './sync-failure.ts'

export interface SyncDeps {
  db: Kysely<FilesDb>
  hotTier: HotTier
  network: StorageNetwork
  syncAttemptsMax: number
  syncRetryBaseSeconds: number
  hotRetentionSeconds: number
}

export type SyncOutcome = 'synced' | 'retry' | 'gave_up' | 'superseded'

/** hot → synced (docs/file-lifecycle.md §5). A crash repeats the whole; equal bytes have equal ids, so that is free. */
export function syncFile(deps: SyncDeps): Step<SyncOutcome> {
  return {
    name: 'sync',
    work: (file, context) => copyToNetwork(deps, file, context),
    fail: (file, error) => settleFailure(deps, file, error),
  }
}

async function copyToNetwork(deps: SyncDeps, file: FileRow, context: StepContext): Promise<SyncOutcome> {
  const staged = await stage(deps, file, context.signal)
  if (staged === null) return await giveUp(deps.db, file, 'hot_copy_missing')
  try {
    const mismatch = compareWithDeclared(file, staged)
    return mismatch ? await giveUp(deps.db, file, mismatch) : await commit(deps, file, staged, context)
  } finally {
    // The network drops what is left behind in time; that it cannot now must not hide why.
    await staged.discard().catch(() => undefined)
  }
}

/** Null when the file's bytes are nowhere. What is no error of the network's own came with the bytes. */
async function stage(deps: SyncDeps, file: FileRow, signal: AbortSignal): Promise<StagedBlob | null> {
  const source = await openSource(deps, file, signal)
  if (source === null) return null
  try {
    return await deps.network.stage(source, { fileId: file.id, sizeBytes: file.sizeBytes, signal })
  } catch (error) {
    if (error instanceof NetworkError) throw error
    throw new SourceError('The hot copy broke off', { cause: error })
  }
}

/** The row names the copy before it is permanent. */
async function commit(
  { db, network, hotRetentionSeconds }: SyncDeps,
  file: FileRow,
  staged: StagedBlob,
  { signal }: StepContext,
): Promise<SyncOutcome> {
  const copy = { network: network.id, blobId: staged.blobId, ref: staged.ref }
  const named = await writeClaimed(db, file, (current) => recordNetworkCopy(db, current, copy))
  if (!named) return 'superseded'
  await failpoint('sync.before-network-commit')
  signal.throwIfAborted()
  const { expiresAt } = await staged.commit()
  await failpoint('sync.after-network-commit')
  const held = { sha256: staged.sha256, leaseExpiresAt: expiresAt, hotRetentionSeconds }
  const synced = await writeClaimed(db, named, (current) => markSynced(db, current, held))
  return synced ? 'synced' : 'superseded'
}

function compareWithDeclared(file: FileRow, staged: StagedBlob): FailureCode | null {
  if (staged.sizeBytes !== file.sizeBytes) return 'size_mismatch'
  const declared = file.checksumDeclared?.toLowerCase()
  return declared !== undefined && declared !== staged.sha256 ? 'checksum_mismatch' : null
}

/** Due again later; in error at once when no repetition can help, or when it has failed too often. */
async function settleFailure(deps: SyncDeps, file: FileRow, error: unknown): Promise<SyncOutcome> {
  const { db } = deps
  const permanent = permanentFailure(error)
  if (permanent) return await giveUp(db, file, permanent)
  const delaySeconds = retryDelaySeconds(deps.syncRetryBaseSeconds, file.syncAttempt)
  const failure = { reason: failureReason(error), delaySeconds }
  const failed = await writeClaimed(db, file, (current) => recordSyncFailure(db, current, failure))
  if (!failed) return 'superseded'
  return failed.syncAttempt < deps.syncAttemptsMax ? 'retry' : await giveUp(db, failed, 'sync_failed')
}

async function giveUp(db: Kysely<FilesDb>, file: FileRow, code: FailureCode): Promise<SyncOutcome> {
  const failed = await writeClaimed(db, file, (current) => markFailed(db, current, code))
  return failed ? 'gave_up' : 'superseded'
}
