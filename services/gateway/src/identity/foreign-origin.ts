import type { IncomingHttpHeaders } from 'node:http'

/**
 * Whether a browser sent this from a page of another origin than the one it asks, and none of those that may call the
 * API. Such a page cannot read the answer, but what the request does is done (RFC 6454 §7.2, Fetch Metadata).
 */
export function isForeign(headers: IncomingHttpHeaders, corsOrigins: readonly string[]): boolean {
  const { origin, host, 'sec-fetch-site': site } = headers
  if (origin === undefined) return site === 'cross-site' || site === 'same-site'
  if (corsOrigins.includes('*') || corsOrigins.includes(origin)) return false
  return !URL.canParse(origin) || new URL(origin).host !== host?.toLowerCase()
}
