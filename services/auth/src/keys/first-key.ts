import { currentTrace } from '@tideport/service-kit/context/request-context'
import type { Kysely, Transaction } from 'kysely'
import { v7 as uuidv7 } from 'uuid'
import { keyDetails, recordEvent } from '../audit/record-event.ts'
import type { AuthDb } from '../tables.ts'
import { insertKey } from './create-api-key.ts'
import { createKeySecret } from './key-secret.ts'
import { isInUse } from './limits.ts'

const operator = { method: 'operator', keyId: null, keyPrefix: null, subject: null } as const
/** The account of the first key and of the owner. No identity provider uses this issuer. */
const account = { issuer: 'tideport', subject: 'first-account' }

/** Creates the installation's own account if it does not exist. Locks its row, so that simultaneous calls serialize. */
export async function lockOwnAccount(trx: Transaction<AuthDb>): Promise<string> {
  await trx
    .insertInto('account')
    .values({ id: uuidv7(), ...account })
    .onConflict((conflict) => conflict.columns(['issuer', 'subject']).doNothing())
    .execute()
  const { id } = await trx
    .selectFrom('account')
    .select('id')
    .where('issuer', '=', account.issuer)
    .where('subject', '=', account.subject)
    .forUpdate()
    .executeTakeFirstOrThrow()
  return id
}

/** Calls `hand` before the key becomes valid. If `hand` fails, no key is created. */
export async function createFirstKey(
  db: Kysely<AuthDb>,
  hand: (key: string) => Promise<void>,
): Promise<{ accountId: string; isNew: boolean }> {
  return await db.transaction().execute(async (trx) => {
    const accountId = await lockOwnAccount(trx)
    const held = await trx
      .selectFrom('apiKey')
      .select('id')
      .where('accountId', '=', accountId)
      .where('isSession', '=', false)
      .where(isInUse)
      .limit(1)
      .executeTakeFirst()
    if (held !== undefined) return { accountId, isNew: false }
    const secret = createKeySecret()
    const unlimited = {
      parentId: null,
      scopes: null,
      limits: null,
      budgets: [],
      expiresInDays: null,
      s3AccessKey: null,
    }
    const row = await insertKey(trx, secret, { id: uuidv7(), accountId, name: 'first key', ...unlimited })
    const entry = { accountId, kind: 'key.created', subjectId: row.id, details: keyDetails(row) } as const
    await recordEvent(trx, entry, { actor: operator, clientAddress: null, requestId: currentTrace().requestId })
    await hand(secret.key)
    return { accountId, isNew: true }
  })
}
