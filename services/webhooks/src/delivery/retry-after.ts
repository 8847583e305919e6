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
