import { setTimeout as delay } from 'node:timers/promises'

/**
 * How many times as fast as another's a process's clock may run. Linux lets nobody set the rate of a monotonic clock
 * more than 10 % and 500 ppm off (adjtimex(2)): 1.1005 to 0.8995 is 1.224.
 */
const RATES_MAX = 1.25

/** For how long others may use what they were answered, and when they no longer do (docs/adr/0064). */
export interface AnswerLife {
  /** Counted by whoever asked, from before the question was sent; null for what does not end soon by itself. */
  usableMs(endsInMs: number | null): number
  /** Begun after a change was committed: resolves when nobody uses an answer from before it any more. */
  untilUnused(): Promise<void>
}

export interface AnswerLifeOptions {
  /** That an answer may be used at most; 0: none is used again. */
  mostMs: number
  /** Milliseconds, never going back. */
  monotonicNow?: () => number
  wait?: (ms: number) => Promise<unknown>
}

export function createAnswerLife({
  mostMs,
  monotonicNow = () => performance.now(),
  wait = delay,
}: AnswerLifeOptions): AnswerLife {
  return {
    usableMs: (endsInMs) => Math.floor(Math.min(mostMs, (endsInMs ?? Number.POSITIVE_INFINITY) / RATES_MAX)),
    async untilUnused() {
      const endsAt = monotonicNow() + mostMs * RATES_MAX
      // Timers may be early.
      for (let leftMs = endsAt - monotonicNow(); leftMs > 0; leftMs = endsAt - monotonicNow()) await wait(leftMs)
    },
  }
}
