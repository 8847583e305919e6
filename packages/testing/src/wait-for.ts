import { setTimeout as delay } from 'node:timers/promises'

export interface WaitOptions {
  /** Timeout in milliseconds. Defaults to 120,000, so that a busy machine causes no failure. */
  timeoutMs?: number
  /**
   * Pause between checks in milliseconds. Defaults to 1/20 of the elapsed time, between 10 and 250, because checks slow
   * down the awaited work.
   */
  everyMs?: number
  what?: string
}

/** Repeats `condition` until it is truthy. Ignores its errors; the last one becomes the cause of the timeout error. */
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
