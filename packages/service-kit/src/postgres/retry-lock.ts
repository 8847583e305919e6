import { setTimeout as delay } from 'node:timers/promises'
import type { Log } from '../telemetry/logger.ts'
import { lostALock } from './database-errors.ts'

const FIRST_PAUSE_MS = 500
const LONGEST_PAUSE_MS = 10_000

export interface LockRetry {
  /** For how long an attempt that got no lock is repeated. */
  waitMs: number
  log?: Log | undefined
}

/**
 * Repeats work that did not get its locks, with growing pauses in which whoever queued behind it goes on. Rejects with
 * the last failure's cause once the time is over.
 */
export async function retryLock<T>(step: string, { waitMs, log }: LockRetry, work: () => Promise<T>): Promise<T> {
  const giveUpAt = performance.now() + waitMs
  for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS)) {
    try {
      return await work()
    } catch (error) {
      if (!lostALock(error)) throw error
      const leftMs = giveUpAt - performance.now()
      if (leftMs <= 0) throw new Error(`${step}: no lock within ${waitMs / 1000} s`, { cause: error })
      log?.info({ step, pauseMs }, 'a migration got no lock and will try again')
      await delay(Math.min(pauseMs * (0.5 + Math.random() / 2), leftMs))
    }
  }
}
