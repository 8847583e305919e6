import { type RawBuilder, sql, type Transaction } from 'kysely'
import { appendEvents } from './append-event.ts'
import type { FilesDb } from './tables.ts'

interface Told {
  accountId: string
  type: string
  payload: RawBuilder<unknown>
  auditRetentionSeconds: number
}

/** Writes an entry about an account itself to its log. No purge removes such an entry, so it gets an expiry. */
export async function tellAccount(
  trx: Transaction<FilesDb>,
  { accountId, type, payload, auditRetentionSeconds }: Told,
): Promise<void> {
  const from = sql`(select id, id as account_id from account where id = ${accountId}) as account`
  await appendEvents({ kind: 'account', type, payload, from }).execute(trx)
  await sql`
    update event set expires_at = now() + make_interval(secs => ${auditRetentionSeconds})
    where subject_id = ${accountId} and type = ${type} and expires_at is null`.execute(trx)
}
