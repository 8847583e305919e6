/** Whether `If-None-Match` has this quoted tag or `*`. Compares weakly (RFC 9110 §13.1.2): proxies weaken tags. */
export function isKnown(etag: string, ifNoneMatch: string): boolean {
  const tags = ifNoneMatch.split(',').map((tag) => tag.trim().replace(/^W\//, ''))
  return tags.includes('*') || tags.includes(etag)
}
