const SECOND = 1
const MINUTE = 60
const HOUR = 3600

/** Seconds before each attempt, counted from the end of the one before it. After the last one a delivery is given up. */
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

export interface RetryOptions {
  /** Multiplies the whole schedule. */
  scale: number
  /** From 0 up to 1. */
  random: () => number
}

/** Seconds until the attempt after number `attempt` (the first is 1); null: no further one. */
export function retryDelaySeconds(attempt: number, { scale, random }: RetryOptions): number | null {
  const delay = delaysSeconds[attempt]
  if (delay === undefined) return null
  return delay * scale * (1 - JITTER + 2 * JITTER * random())
}
