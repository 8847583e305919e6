import type { AccountPrincipal } from '@tideport/contracts/internal/principal'
import { seenJobs } from '@tideport/file-lifecycle/many/account-job'
import type { RawBuilder } from 'kysely'
import { vaultsOf } from '../calls/confine.ts'
import { prefixesOf } from '../calls/confine-paths.ts'

/** Jobs within a caller's limits: one that is limited to prefixes sees those that it has asked for itself. */
export function jobsSeenBy(principal: AccountPrincipal): RawBuilder<unknown> {
  const { accountId, keyId } = principal
  // Limits are those of a key. Without one nothing is seen.
  const isOwn = prefixesOf(principal) === null ? null : (keyId ?? 'none')
  return seenJobs(accountId, { vaultIds: vaultsOf(principal), keyId: isOwn })
}
