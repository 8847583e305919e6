import { type Kysely, sql } from 'kysely'
import { v7 as uuidv7 } from 'uuid'
import type { AuthDb } from '../tables.ts'
import { createKeySecret } from './key-secret.ts'

/** No identity provider is called so: the account has no other way in than its keys. */
const account = { issuer: 'tideport', subject: 'first-account' }

/**
 * The first account, and a key with full access unless it has one that holds. `hand` gets the key before it holds: when
 * that fails there is none.
 */
export async function createFirstKey(
  db: Kysely<AuthDb>,
  hand: (key: string) => Promise<void>,
): Promise<{ accountId: string; isNew: boolean }> {
  return await db.transaction().execute(async (trx) => {
    await trx
      .insertInto('account')
      .values({ id: uuidv7(), ...account })
      .onConflict((conflict) => conflict.columns(['issuer', 'subject']).doNothing())
      .execute()
    // The row is locked: of two at once the second one finds the key of the first.
    const { id: accountId } = await trx
      .selectFrom('account')
      .select('id')
      .where('issuer', '=', account.issuer)
      .where('subject', '=', account.subject)
      .forUpdate()
      .executeTakeFirstOrThrow()
    const held = await trx
      .selectFrom('apiKey')
      .select('id')
      .where('accountId', '=', accountId)
      .where('revokedAt', 'is', null)
      .where((where) => where.or([where('expiresAt', 'is', null), where('expiresAt', '>', sql<Date>`now()`)]))
      .limit(1)
      .executeTakeFirst()
    if (held !== undefined) return { accountId, isNew: false }
    const { key, keyPrefix, digest } = createKeySecret()
    await trx
      .insertInto('apiKey')
      .values({ id: uuidv7(), accountId, name: 'first key', keyPrefix, digest, scopes: null, expiresAt: null })
      .execute()
    await hand(key)
    return { accountId, isNew: true }
  })
}
