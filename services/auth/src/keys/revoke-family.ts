import { sql, type Transaction } from 'kysely'
import { type ApiKeyRow, type AuthDb, apiKeyColumns } from '../tables.ts'
import { isInUse } from './limits.ts'

/**
 * Revokes a key of an account, and all in use that were made with it or with one of those: what has ended made nothing
 * that has not. Returns what was not revoked before. The account is held (`holdAccount`), so nobody makes one meanwhile.
 */
export async function revokeFamily(trx: Transaction<AuthDb>, accountId: string, keyId: string): Promise<ApiKeyRow[]> {
  const { rows } = await sql<ApiKeyRow>`
    with recursive family (id) as (
      select id from api_key where id = ${keyId} and account_id = ${accountId}
      union
      select api_key.id from api_key join family on api_key.parent_id = family.id where ${isInUse}
    )
    update api_key set revoked_at = now() from family
    where api_key.id = family.id and revoked_at is null
    returning ${sql.join(apiKeyColumns.map((column) => sql.ref(`apiKey.${column}`)))}`.execute(trx)
  return rows
}
