import { resolveAccount } from '@tideport/contracts/internal/api'
import { serve } from '@tideport/service-kit/http/route'
import type { Kysely } from 'kysely'
import { v7 as uuidv7 } from 'uuid'
import type { AuthDb } from '../tables.ts'

interface Identity {
  issuer: string
  subject: string
}

/** `POST /internal/accounts/resolve`: the account of (issuer, subject). First sight creates it. */
export function resolveAccountRoute({ db }: { db: Kysely<AuthDb> }) {
  return serve(resolveAccount, async ({ body }) => {
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

async function insertAccount(db: Kysely<AuthDb>, { issuer, subject }: Identity): Promise<void> {
  await db
    .insertInto('account')
    .values({ id: uuidv7(), issuer, subject })
    .onConflict((conflict) => conflict.constraint('account_identity').doNothing())
    .execute()
}
