import { setTimeout as delay } from 'node:timers/promises'

export interface WaitOptions {
  /** Timeout; default 120,000: a busy machine is not a failure. */
  timeoutMs?: number
  /**
   * Pause between two checks; by default a twentieth of the wait so far, from 10 to 250, because checks slow the
   * work.
   */
  everyMs?: number
  what?: string
}

/** Repeats until `condition` is truthy. A throw counts as not yet; the last one is the cause of the timeout's error. */
export async function waitFor<T>(condition: () => T | Promise<T>, options: WaitOptions = {}): Promise<Truthy<T>> {
  const { timeoutMs = 120_000, what = 'the condition' } = options
  const startedAt = performance.now()
  let lastError: unknown
  for (;;) {
    try {
      const answer = await condition()
      if (answer) return answer as Truthy<T>
      lastError = undefined
    } catch (error) {
      lastError = error
    }
    const waitedMs = performance.now() - startedAt
    if (waitedMs > timeoutMs)
      throw new Error(`Timed out after ${timeoutMs} ms waiting for ${what}`, { cause: lastError })
    await delay(options.everyMs ?? Math.min(Math.max(waitedMs / 20, 10), 250))
  }
}

type Truthy<T> = Exclude<T, null | undefined | false | 0 | ''>
