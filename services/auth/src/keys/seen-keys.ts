import type { AccountPrincipal } from '@tideport/contracts/internal/principal'
import { isConfined } from '@tideport/service-kit/http/authorize'
import { notFound } from '@tideport/service-kit/process/app-error'
import { type Kysely, type RawBuilder, sql } from 'kysely'
import { type ApiKeyRow, type AuthDb, apiKeyColumns } from '../tables.ts'

/** Keys of its account that a principal may see: a key that sees a part of the account, only those made with it. */
export function areSeenBy({ accountId, keyId, limits }: AccountPrincipal): RawBuilder<boolean> {
  const ofAccount = sql<boolean>`account_id = ${accountId}`
  return isConfined(limits) ? sql<boolean>`${ofAccount} and parent_id = ${keyId}` : ofAccount
}

/** A key that a principal may see, also when it was revoked or has expired. Throws `not_found`. */
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
