import { sql, type Transaction } from 'kysely'
import { type ApiKeyRow, type AuthDb, apiKeyColumns } from '../tables.ts'

/** Revokes a key of an account, and all that were made with it or with one of those. Returns what was not revoked before. */
export async function revokeFamily(trx: Transaction<AuthDb>, accountId: string, keyId: string): Promise<ApiKeyRow[]> {
  // One revocation at a time: two of one family would wait for each other in a circle.
  await trx.selectFrom('account').select('id').where('id', '=', accountId).forNoKeyUpdate().execute()
  const revoked: ApiKeyRow[] = []
  for (;;) {
    const { rows } = await sql<ApiKeyRow>`
      with recursive family (id) as (
        select id from api_key where id = ${keyId} and account_id = ${accountId}
        union
        select api_key.id from api_key join family on api_key.parent_id = family.id
      )
      update api_key set revoked_at = now() from family
      where api_key.id = family.id and revoked_at is null
      returning ${sql.join(apiKeyColumns.map((column) => sql.ref(`apiKey.${column}`)))}`.execute(trx)
    revoked.push(...rows)
    // A key may have been made with one while we waited for it, which only the next look sees.
    if (rows.length === 0) return revoked
  }
}
