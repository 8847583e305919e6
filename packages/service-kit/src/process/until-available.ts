import { setTimeout as delay } from 'node:timers/promises'
import { seconds } from '../config/setting.ts'
import type { Log } from '../telemetry/logger.ts'

const RETRY_MS = 500
const TELL_EVERY_MS = 10_000

export const waitSettings = {
  WAIT_SECONDS: seconds().default(300).describe('How long a job waits for unavailable servers'),
}

export interface WaitOptions {
  seconds: number
  what: string
  isOutage: (error: unknown) => boolean
  log: Log
  signal?: AbortSignal | undefined
}

/**
 * Retries while the failure is an outage and `seconds` have not passed; then rejects with the failure. `work` must be
 * safe to repeat, because an attempt may fail after it had its effect.
 */
export async function untilAvailable<T>(work: () => Promise<T>, options: WaitOptions): Promise<T> {
  const { seconds: waitSeconds, what, isOutage, log, signal } = options
  const deadline = performance.now() + waitSeconds * 1000
  let tellAt = 0
  for (;;) {
    try {
      return await work()
    } catch (error) {
      const now = performance.now()
      if (!isOutage(error) || now > deadline) throw error
      if (now >= tellAt) {
        log.info({ reason: (error as Error).message }, `${what} is not available yet, waiting`)
        tellAt = now + TELL_EVERY_MS
      }
    }
    await delay(RETRY_MS, undefined, { signal })
  }
}
