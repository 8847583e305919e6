import { type RawBuilder, sql, type Transaction } from 'kysely'
import { type ApiKeyRow, type AuthDb, apiKeyColumns } from '../tables.ts'
import { isInUse } from './limits.ts'

/** Revokes a key and its valid descendants. The account must be locked (`holdAccount`). Returns the revoked keys. */
export async function revokeFamily(trx: Transaction<AuthDb>, accountId: string, keyId: string): Promise<ApiKeyRow[]> {
  const { rows } = await sql<ApiKeyRow>`
    with recursive ${familyOf(accountId, keyId)}
    update api_key set revoked_at = now() from family
    where api_key.id = family.id and revoked_at is null
    returning ${columns}`.execute(trx)
  return rows
}

/**
 * Makes the same keys expire within `seconds`. Returns the key, and those descendants that would have expired later.
 */
export async function endFamily(
  trx: Transaction<AuthDb>,
  { accountId, keyId, seconds }: { accountId: string; keyId: string; seconds: number },
): Promise<ApiKeyRow[]> {
  const { rows } = await sql<ApiKeyRow>`
    with recursive ${familyOf(accountId, keyId)}
    update api_key set expires_at = least(expires_at, now() + make_interval(secs => ${seconds})) from family
    where api_key.id = family.id and revoked_at is null and (api_key.id = ${keyId}
      or coalesce(expires_at > now() + make_interval(secs => ${seconds}), true))
    returning ${columns}`.execute(trx)
  return rows
}

const columns = sql.join(apiKeyColumns.map((column) => sql.ref(`apiKey.${column}`)))

function familyOf(accountId: string, keyId: string): RawBuilder<unknown> {
  return sql`family (id) as (
    select id from api_key where id = ${keyId} and account_id = ${accountId}
    union
    select api_key.id from api_key join family on api_key.parent_id = family.id where ${isInUse}
  )`
}
