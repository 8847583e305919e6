const SECOND = 1
const MINUTE = 60
const HOUR = 3600

/**
 * Delay before each attempt, from the end of the previous one. After the last one, the delivery has failed permanently.
 */
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

/** Spread in both directions, so that deliveries that failed together are not retried together. */
const JITTER = 0.2
const ASKED_MAX_SECONDS = 24 * HOUR

interface RetryOptions {
  scale: number
  random: () => number
  /** From the receiver's `Retry-After`. */
  askedSeconds: number | null
}

/** Delay after attempt number `attempt`, counted from 1. Null: no further attempt. Never shorter than planned. */
export function retryDelaySeconds(attempt: number, { scale, random, askedSeconds }: RetryOptions): number | null {
  const delay = delaysSeconds[attempt]
  if (delay === undefined) return null
  const planned = delay * scale * (1 - JITTER + 2 * JITTER * random())
  return Math.max(planned, honouredSeconds(askedSeconds, scale))
}

/** The receiver's `Retry-After`, up to 24 hours times the scale. */
export function honouredSeconds(askedSeconds: number | null, scale: number): number {
  return Math.min(askedSeconds ?? 0, ASKED_MAX_SECONDS * scale)
}

const SECONDS = /^\d+$/
/** The only date format that senders may generate (RFC 9110 §5.6.7): `Sun, 06 Nov 1994 08:49:37 GMT`. */
const HTTP_DATE = /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/

/** Seconds of a `Retry-After` value, 0 for a date in the past, null if the value is invalid. */
export function parseRetryAfter(text: string, now: Date): number | null {
  if (SECONDS.test(text)) return Number(text)
  if (!HTTP_DATE.test(text)) return null
  const at = Date.parse(text)
  return Number.isNaN(at) ? null : Math.max(0, (at - now.getTime()) / 1000)
}
