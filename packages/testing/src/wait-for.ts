import { setTimeout as delay } from 'node:timers/promises'

export interface WaitOptions {
  /** Give up after this long; default 120,000: a busy machine is no failure. */
  timeoutMs?: number
  /** Pause between two looks; default 10, and 50 once the first second has passed. */
  everyMs?: number
  /** What is waited for, named in the error. */
  what?: string
}

/**
 * Asks `condition` until it answers something truthy, and returns that.
 * A throw counts as "not yet"; the last one becomes the cause of the timeout's error.
 */
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
    if (waitedMs > timeoutMs) throw new Error(`Waited ${timeoutMs} ms in vain for ${what}`, { cause: lastError })
    await delay(options.everyMs ?? (waitedMs < 1000 ? 10 : 50))
  }
}

type Truthy<T> = Exclude<T, null | undefined | false | 0 | ''>
