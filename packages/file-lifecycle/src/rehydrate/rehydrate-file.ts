import { createHash } from 'node:crypto'
import type { Readable } from 'node:stream'
import { failpoint } from '@tideport/service-kit/process/failpoint'
import { NetworkError } from '@tideport/storage-network/errors'
import { checkSoon } from '../copies/check-soon.ts'
import { cutWhenIdle } from '../copies/cut-when-idle.ts'
import { comesOfLoss, failureReason, permanentFailure, restoringSeconds } from '../copies/failures.ts'
import { openCopies } from '../copies/open-copies.ts'
import type { StoreDeps } from '../copies/store-copy.ts'
import { readableCopies, readCopies } from '../state/file-copies.ts'
import type { FileRow } from '../state/tables.ts'
import type { OfFile, StepContext } from '../work/handle-job.ts'
import { retryDelaySeconds } from '../work/retry-delay.ts'
import { writeClaimed } from '../work/write-claimed.ts'
import { giveUpRehydration, nameRehydrated, recordRehydrated, recordRehydrationFailure } from './rehydration.ts'

export type RehydrateOutcome = 'rehydrated' | 'retry' | 'gave_up' | 'superseded'

/**
 * Brings a cold file's bytes back to the hot tier (docs/file-lifecycle.md §8). Its status stays; the network's copy is
 * only read. A crash anywhere repeats the whole under the key that the row names.
 */
export function rehydrateFile(deps: StoreDeps): OfFile<RehydrateOutcome> {
  return {
    name: 'rehydrate',
    work: (file, context) => bringBack(deps, file, context),
    fail: (file, error) => settleFailure(deps, file, error),
    abandon: (file) => giveUp(deps, file, 'interrupted'),
  }
}

async function bringBack(deps: StoreDeps, file: FileRow, { signal }: StepContext): Promise<RehydrateOutcome> {
  const { db, hotTier, networks, hotRetentionSeconds } = deps
  const named = await writeClaimed(db, file, (current) => nameRehydrated(db, current))
  if (!named?.rehydrateKey) return 'superseded'
  const key = named.rehydrateKey
  await hotTier.abortUploads(key)
  const copies = readableCopies(await readCopies(db, file.id), networks)
  const { bytes } = await openCopies(deps, copies, undefined, signal)
  const copy = cutWhenIdle(bytes, 'storage network')
  try {
    await hotTier.store(key, { mimeType: named.mimeType, body: verified(copy, named) }, signal)
  } finally {
    copy.destroy()
  }
  // As with a confirm, only the object itself proves that the store has it.
  if ((await hotTier.head(key, { sizeBytes: named.sizeBytes, signal })) !== named.sizeBytes)
    throw new Error('The object that was stored is not there in full')
  await failpoint('rehydrate.after-store')
  const done = await writeClaimed(db, named, (current) => recordRehydrated(db, current, { hotRetentionSeconds }))
  return done ? 'rehydrated' : 'superseded'
}

/** Ends with an error, so that nothing is stored, unless these are the very bytes that were synced. */
async function* verified(copy: Readable, { sha256, sizeBytes }: FileRow): AsyncGenerator<Uint8Array> {
  const hash = createHash('sha256')
  let readBytes = 0
  for await (const chunk of copy as AsyncIterable<Buffer>) {
    hash.update(chunk)
    readBytes += chunk.length
    yield chunk
  }
  if (readBytes !== sizeBytes || hash.digest('hex') !== sha256) {
    throw new NetworkError('integrity', 'The network gave other bytes than were synced')
  }
}

async function settleFailure(deps: StoreDeps, file: FileRow, error: unknown): Promise<RehydrateOutcome> {
  const { db, networks, syncAttemptsMax, syncRetryBaseSeconds } = deps
  if (comesOfLoss(error)) await checkSoon(db, file.id, networks.order)
  const reason = failureReason(error)
  if (permanentFailure(error)) return await giveUp(deps, file, reason)
  const delaySeconds = restoringSeconds(error) ?? retryDelaySeconds(syncRetryBaseSeconds, file.rehydrateAttempt)
  const failure = { reason, delaySeconds }
  const failed = await writeClaimed(db, file, (current) => recordRehydrationFailure(db, current, failure))
  if (!failed) return 'superseded'
  return failed.rehydrateAttempt < syncAttemptsMax ? 'retry' : await giveUp(deps, failed, reason)
}

async function giveUp({ db }: StoreDeps, file: FileRow, reason: string): Promise<RehydrateOutcome> {
  const ended = await writeClaimed(db, file, (current) => giveUpRehydration(db, current, { reason }))
  return ended ? 'gave_up' : 'superseded'
}
