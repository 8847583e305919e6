import { setTimeout as delay } from 'node:timers/promises'

/** Clock rates differ by at most 1.1005 / 0.8995 = 1.224: Linux limits them to 10 % and 500 ppm (adjtimex(2)). */
const RATES_MAX = 1.25

/** How long callers may reuse a response, and when they have stopped reusing it (ADR 0022). */
export interface AnswerLife {
  /**
   * The caller counts this time from before it sent the request. `endsInMs` is null for a response that does not expire
   * soon.
   */
  usableMs(endsInMs: number | null): number
  /** Call after a change is committed. Resolves when no caller reuses a response from before the change. */
  untilUnused(): Promise<void>
}

export interface AnswerLifeOptions {
  /** The longest time that a response may be reused. 0 disables reuse. */
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
      // Timers can fire early.
      for (let leftMs = endsAt - monotonicNow(); leftMs > 0; leftMs = endsAt - monotonicNow()) await wait(leftMs)
    },
  }
}
