const SECOND = 1
const MINUTE = 60
const HOUR = 3600

/** Before each attempt, from the end of the one before it. After the last one the delivery is given up. */
const delaysSeconds = [
  0,
  5 * SECOND,
  5 * MINUTE,
  30 * MINUTE,
  2 * HOUR,
  5 * HOUR,
  10 * HOUR,
  14 * HOUR,
  20 * HOUR,
  24 * HOUR,
] as const

/** Spread on both sides, so that what failed together does not come back together. */
const JITTER = 0.2
const ASKED_MAX_SECONDS = 24 * HOUR

export interface RetryOptions {
  scale: number
  random: () => number
  /** What the receiver asked for with `Retry-After`. */
  askedSeconds: number | null
}

/** For the attempt after number `attempt`, counted from 1; null: no further one. Never sooner than planned. */
export function retryDelaySeconds(attempt: number, { scale, random, askedSeconds }: RetryOptions): number | null {
  const delay = delaysSeconds[attempt]
  if (delay === undefined) return null
  const planned = delay * scale * (1 - JITTER + 2 * JITTER * random())
  return Math.max(planned, honouredSeconds(askedSeconds, scale))
}

/** What a receiver asked for, as far as it is granted: up to 24 hours of the scale. */
export function honouredSeconds(askedSeconds: number | null, scale: number): number {
  return Math.min(askedSeconds ?? 0, ASKED_MAX_SECONDS * scale)
}
