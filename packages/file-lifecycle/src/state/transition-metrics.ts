import type { FileStatus } from '@tideport/contracts/public/files'
import type { Metrics } from '@tideport/service-kit/telemetry/metrics'
import type { Kysely } from 'kysely'
import { transitions } from './state.ts'
import type { FileRow, FilesDb } from './tables.ts'

type Observe = (from: FileStatus, file: FileRow) => void

/**
 * By the database that a process opened: whoever changes a file's status has it at hand, and nothing else of the
 * process.
 */
const observers = new WeakMap<Kysely<FilesDb>, Observe>()

/** Counts every change of status that this process makes by this database from now on. */
export function observeTransitions(db: Kysely<FilesDb>, metrics: Metrics): void {
  const changes = metrics.counter({
    name: 'tideport_file_transitions_total',
    help: 'Changes of the status of files that this process made',
    labelNames: ['from', 'to'],
  })
  for (const { from, to } of Object.values(transitions)) for (const start of from) changes.labels(start, to).inc(0)
  const syncedBytes = metrics.counter({
    name: 'tideport_sync_bytes_total',
    help: 'Bytes that this process copied to the storage network for good',
  })
  const untilSynced = metrics.histogram({
    name: 'tideport_confirm_to_synced_seconds',
    help: 'Time from the confirm of a file until its copy on the storage network was committed',
    buckets: [1, 5, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 14_400, 86_400],
  })
  const evicted = metrics.counter({
    name: 'tideport_evicted_files_total',
    help: 'Files whose hot copy this process dropped',
  })
  const evictedBytes = metrics.counter({
    name: 'tideport_evicted_bytes_total',
    help: 'Bytes of hot copies that this process dropped',
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
