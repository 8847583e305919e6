import type { FileStatus } from '@tideport/contracts/public/files'
import type { EventType } from '@tideport/contracts/public/webhook-payload'
import type { Metrics } from '@tideport/service-kit/telemetry/metrics'
import type { Kysely } from 'kysely'
import type { FileRow, FilesDb } from './tables.ts'

/**
 * A change of a file's status: from which statuses, to which one, and its event (spec §3). Only a confirm sends
 * `file.hot`. Retries and healed copies write entries that are only history.
 */
export interface Transition {
  from: readonly FileStatus[]
  to: FileStatus
  event: EventType | 'retry.accepted' | 'error.ended'
}

/** All changes of status. docs/explain/life-of-a-file.md draws this table. */
export const transitions = {
  markHot: { from: ['uploading'], to: 'hot', event: 'file.hot' },
  markSynced: { from: ['hot'], to: 'synced', event: 'file.synced' },
  markCold: { from: ['synced'], to: 'cold', event: 'file.cold' },
  markFailed: { from: ['hot', 'synced', 'cold'], to: 'error', event: 'file.error' },
  retryHot: { from: ['error'], to: 'hot', event: 'retry.accepted' },
  recoverSynced: { from: ['error'], to: 'synced', event: 'error.ended' },
  recoverCold: { from: ['error'], to: 'cold', event: 'error.ended' },
} as const satisfies Record<string, Transition>

/** The statuses of a confirmed file. */
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

/** How long a claim lasts. It is renewed every 5 s (docs/explain/life-of-a-file.md §1.6). */
export const CLAIM_SECONDS = 60

type Observe = (from: FileStatus, file: FileRow) => void

/** By database, the only object of the process that code which changes a status has. */
const observers = new WeakMap<Kysely<FilesDb>, Observe>()

/** Counts the changes of status that this process makes with this database. */
export function observeTransitions(db: Kysely<FilesDb>, metrics: Metrics): void {
  const changes = metrics.counter({
    name: 'tideport_file_transitions_total',
    help: 'Status changes of files by this process',
    labelNames: ['from', 'to'],
  })
  for (const { from, to } of Object.values(transitions)) for (const start of from) changes.labels(start, to).inc(0)
  const syncedBytes = metrics.counter({
    name: 'tideport_sync_bytes_total',
    help: 'Bytes of copies that this process committed to storage networks',
  })
  const untilSynced = metrics.histogram({
    name: 'tideport_confirm_to_synced_seconds',
    help: 'Time from the confirm of a file until its first copy is committed',
    buckets: [1, 5, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 14_400, 86_400],
  })
  const evicted = metrics.counter({
    name: 'tideport_evicted_files_total',
    help: 'Files whose hot copy this process evicted',
  })
  const evictedBytes = metrics.counter({
    name: 'tideport_evicted_bytes_total',
    help: 'Bytes of hot copies that this process evicted',
  })
  observers.set(db, (from, { status, sizeBytes, confirmedAt, syncedAt }) => {
    changes.labels(from, status).inc()
    if (from === 'hot' && status === 'synced') {
      syncedBytes.inc(sizeBytes)
      if (confirmedAt && syncedAt) untilSynced.observe((syncedAt.getTime() - confirmedAt.getTime()) / 1000)
    }
    if (from === 'synced' && status === 'cold') {
      evicted.inc()
      evictedBytes.inc(sizeBytes)
    }
  })
}

export function noteTransition(db: Kysely<FilesDb>, from: FileStatus, file: FileRow): void {
  observers.get(db)?.(from, file)
}
