import type { AccountPrincipal } from '@tideport/contracts/internal/principal'
import { isConfined } from '@tideport/service-kit/http/authorize'
import { notFound } from '@tideport/service-kit/process/app-error'
import { type Kysely, type RawBuilder, sql } from 'kysely'
import { type ApiKeyRow, type AuthDb, apiKeyColumns } from '../tables.ts'

/**
 * The keys that a principal may see: all of its account or, for a key limited to part of the account, its own children.
 */
export function areSeenBy({ accountId, keyId, limits }: AccountPrincipal): RawBuilder<boolean> {
  const ofAccount = sql<boolean>`account_id = ${accountId}`
  return isConfined(limits) ? sql<boolean>`${ofAccount} and parent_id = ${keyId}` : ofAccount
}

/** Finds a key that a principal may see, including revoked and expired keys. Throws `not_found`. */
export async function readSeenKey(
  db: Kysely<AuthDb>,
  principal: AccountPrincipal,
  apiKeyId: string,
): Promise<ApiKeyRow> {
  return await db
    .selectFrom('apiKey')
    .select(apiKeyColumns)
    .where('id', '=', apiKeyId)
    .where(areSeenBy(principal))
    .executeTakeFirstOrThrow(() => notFound())
}
