import { ensureAccount } from '@tideport/contracts/internal/api'
import { currentTrace } from '@tideport/service-kit/context/request-context'
import { type RouteInput, serve } from '@tideport/service-kit/http/route'
import type { Kysely } from 'kysely'
import { v7 as uuidv7 } from 'uuid'
import { recordEvent } from '../audit/record-event.ts'
import type { AuthDb } from '../tables.ts'

type Login = RouteInput<typeof ensureAccount>['body']
type Identity = Pick<Login, 'issuer' | 'subject'>

/** `POST /internal/accounts/resolve`. The first request of a subject creates the account. */
export function ensureAccountRoute(db: Kysely<AuthDb>) {
  return serve(ensureAccount, async ({ body }) => {
    const known = await findAccountId(db, body)
    if (known !== undefined) return { accountId: known }
    await insertAccount(db, body)
    // Read again: of two first requests at once one inserts, and both must answer the same account.
    const accountId = await findAccountId(db, body)
    if (accountId === undefined) throw new Error('An account that was just made is gone')
    return { accountId }
  })
}

async function findAccountId(db: Kysely<AuthDb>, { issuer, subject }: Identity): Promise<string | undefined> {
  const row = await db
    .selectFrom('account')
    .select('id')
    .where('issuer', '=', issuer)
    .where('subject', '=', subject)
    .executeTakeFirst()
  return row?.id
}

async function insertAccount(db: Kysely<AuthDb>, login: Login): Promise<void> {
  const { issuer, subject, method, clientAddress } = login
  await db.transaction().execute(async (trx) => {
    const row = await trx
      .insertInto('account')
      .values({ id: uuidv7(), issuer, subject })
      .onConflict((conflict) => conflict.constraint('account_identity').doNothing())
      .returning('id')
      .executeTakeFirst()
    if (row === undefined) return
    const entry = { accountId: row.id, kind: 'account.created', subjectId: row.id, details: { issuer } } as const
    const actor = { method, subject, keyId: null, keyPrefix: null }
    await recordEvent(trx, entry, { actor, clientAddress, requestId: currentTrace().requestId })
  })
}
