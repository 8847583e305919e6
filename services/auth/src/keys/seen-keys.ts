import type { AccountPrincipal } from '@tideport/contracts/internal/principal'
import { isConfined } from '@tideport/service-kit/http/authorize'
import { type RawBuilder, sql } from 'kysely'

/** Keys of its account that a principal may see: a key that sees a part of the account, only those made with it. */
export function areSeenBy({ accountId, keyId, limits }: AccountPrincipal): RawBuilder<boolean> {
  const ofAccount = sql<boolean>`account_id = ${accountId}`
  return isConfined(limits) ? sql<boolean>`${ofAccount} and parent_id = ${keyId}` : ofAccount
}
