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

interface RetryOptions {
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

const SECONDS = /^\d+$/
/** The one form that senders may still use (RFC 9110, 5.6.7): `Sun, 06 Nov 1994 08:49:37 GMT`. */
const HTTP_DATE = /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/

/** Seconds that a receiver asked to wait, 0 for a date that has passed; null for what is not `Retry-After` at all. */
export function parseRetryAfter(text: string, now: Date): number | null {
  if (SECONDS.test(text)) return Number(text)
  if (!HTTP_DATE.test(text)) return null
  const at = Date.parse(text)
  return Number.isNaN(at) ? null : Math.max(0, (at - now.getTime()) / 1000)
}
