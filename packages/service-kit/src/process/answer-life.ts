import { setTimeout as delay } from 'node:timers/promises'

/** Clock rates differ by at most 1.1005 / 0.8995 = 1.224: Linux limits them to 10 % and 500 ppm (adjtimex(2)). */
const RATES_MAX = 1.25

/** For how long others may use what they were answered, and when they no longer do (ADR 0022). */
export interface AnswerLife {
  /** Counted by the caller, from before the request was sent; null for an answer that does not expire soon. */
  usableMs(endsInMs: number | null): number
  /** Begun after a change was committed: resolves when nobody uses an answer from before it any more. */
  untilUnused(): Promise<void>
}

export interface AnswerLifeOptions {
  /** That an answer may be used at most; 0: none is used again. */
  mostMs: number
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
