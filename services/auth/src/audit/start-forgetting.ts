import { every, type PeriodicTask } from '@tideport/service-kit/process/every'
import type { Log } from '@tideport/service-kit/telemetry/logger'
import type { Kysely } from 'kysely'
import type { AuthDb } from '../tables.ts'
import { forgetEvents } from './record-event.ts'

const EVERY_MS = 60_000

export function startForgetting(
  db: Kysely<AuthDb>,
  { retentionSeconds, ...options }: { retentionSeconds: number; signal: AbortSignal; log: Log },
): PeriodicTask {
  const forget = async (stopping: AbortSignal) => {
    while (!stopping.aborted && (await forgetEvents(db, retentionSeconds)) > 0);
  }
  return every(EVERY_MS, 'forget old entries of the log', forget, options)
}
