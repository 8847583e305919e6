import type { StorageNetwork } from '@tideport/storage-network/storage-network'
import type { FileRow } from '../state/tables.ts'
import { hasEnoughLease } from './enough-lease.ts'

/** Whether the network's copy can stand in for the hot one, and why not. */
export type CopyCheck =
  | { holds: true; leaseExpiresAt: Date | null }
  | { holds: false; reason: 'absent' | 'mismatch' | 'short_lease' }

/**
 * The copy read back in full under this file's reference. A file that is evicting was proved before: a cheap look is
 * enough, unless that look, now or earlier, did not hold.
 */
export async function checkCopy(network: StorageNetwork, file: FileRow, signal: AbortSignal): Promise<CopyCheck> {
  if (file.evictingAt !== null && file.evictAttempt === 0) {
    const look = await lookAtCopy(network, file, signal)
    if (look.holds) return look
  }
  return await proveCopy(network, file, signal)
}

async function lookAtCopy(network: StorageNetwork, file: FileRow, signal: AbortSignal): Promise<CopyCheck> {
  const state = await network.stat(file.blobId ?? '', file.id, signal)
  if (state.state === 'absent') return { holds: false, reason: 'absent' }
  if (state.sizeBytes !== file.sizeBytes) return { holds: false, reason: 'mismatch' }
  return checkLease(file, state.expiresAt)
}

async function proveCopy(network: StorageNetwork, file: FileRow, signal: AbortSignal): Promise<CopyCheck> {
  const expected = { sha256: file.sha256 ?? '', sizeBytes: file.sizeBytes }
  const proof = await network.prove(file.blobId ?? '', file.id, expected, signal)
  return proof.ok ? checkLease(file, proof.expiresAt) : { holds: false, reason: proof.reason }
}

function checkLease(file: FileRow, leaseExpiresAt: Date | null): CopyCheck {
  return hasEnoughLease(file, leaseExpiresAt)
    ? { holds: true, leaseExpiresAt }
    : { holds: false, reason: 'short_lease' }
}
