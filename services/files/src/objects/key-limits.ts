import type { AccountPrincipal } from '@tideport/contracts/internal/principal'
import { pathOfKey } from '@tideport/file-lifecycle/state/key-place'
import { outsideLimits } from '@tideport/service-kit/http/authorize'
import { missing } from '../buckets/find-bucket.ts'
import { isPlacedWithin, prefixesOf } from '../calls/enforce-key-limits.ts'

/** Both the key and the path that is derived from it begin with one of the prefixes. */
export function isKeyWithin(principal: Pick<AccountPrincipal, 'limits'>, key: string): boolean {
  const prefixes = prefixesOf(principal)
  return isPlacedWithin(prefixes, key) && isPlacedWithin(prefixes, pathOfKey(key))
}

/** Throws 404 for a read of a key outside the limits, as for a missing one, and 403 for a change. */
export function assertKeyWithin(
  principal: Pick<AccountPrincipal, 'limits'>,
  key: string,
  verb: 'read' | 'write',
  what: 'key' | 'source_key' = 'key',
): void {
  if (isKeyWithin(principal, key)) return
  if (verb === 'read') throw missing(what)
  throw outsideLimits('The key is outside the prefixes of the API key', { limit: 'prefixes' })
}
