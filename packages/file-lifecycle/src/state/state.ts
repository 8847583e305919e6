import type { FileStatus } from '@tideport/contracts/public/files'
import type { EventType } from '@tideport/contracts/public/webhook-payload'

/**
 * A change of a file's status: where it may start, where it ends, and the event that tells of it (spec §3). Only a
 * confirm is told as `file.hot`, so what a retry or a healed copy leaves behind is history alone.
 */
export interface Transition {
  from: readonly FileStatus[]
  to: FileStatus
  event: EventType | 'retry.accepted' | 'error.ended'
}

/** Every change of status there is. docs/file-lifecycle.md draws this table. */
export const transitions = {
  markHot: { from: ['uploading'], to: 'hot', event: 'file.hot' },
  markSynced: { from: ['hot'], to: 'synced', event: 'file.synced' },
  markCold: { from: ['synced'], to: 'cold', event: 'file.cold' },
  markFailed: { from: ['hot', 'synced', 'cold'], to: 'error', event: 'file.error' },
  retryHot: { from: ['error'], to: 'hot', event: 'retry.accepted' },
  recoverSynced: { from: ['error'], to: 'synced', event: 'error.ended' },
  recoverCold: { from: ['error'], to: 'cold', event: 'error.ended' },
} as const satisfies Record<string, Transition>

/** All that a file can be once its bytes are there. */
export const CONFIRMED = ['hot', 'synced', 'cold', 'error'] as const satisfies readonly FileStatus[]

/** Why a file is in error: a fixed vocabulary, shown to its owner. Causes go to the log. */
export const failures = {
  sync_failed: 'The file could not be copied to the storage network',
  network_refused: 'The storage network refused the file',
  size_mismatch: 'The stored bytes do not have the declared size',
  checksum_mismatch: 'The stored bytes do not match the declared checksum',
  hot_copy_missing: 'The bytes of the file are missing from the hot cache',
  content_lost: 'The bytes of the file are lost',
  interrupted: 'Processing of the file was interrupted too many times',
} as const

export type FailureCode = keyof typeof failures

/** How long a claim lasts; it is renewed every 5 s (docs/file-lifecycle.md §1.6). */
export const CLAIM_SECONDS = 60
