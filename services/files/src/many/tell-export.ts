import { appendEvents } from '@tideport/file-lifecycle/state/append-event'
import type { FilesDb } from '@tideport/file-lifecycle/state/tables'
import { sql, type Transaction } from 'kysely'

const TYPE = 'account.export_started'

interface Told {
  accountId: string
  to: string
  /** Null: AWS. */
  endpoint: string | null
  auditRetentionSeconds: number
}

/** Tells in the account's log that all of its files go to a bucket, and to which. */
export async function tellExport(
  trx: Transaction<FilesDb>,
  { accountId, to, endpoint, auditRetentionSeconds }: Told,
): Promise<void> {
  const payload = sql`jsonb_build_object('to', ${to}::text, 'endpoint', ${endpoint}::text)`
  const from = sql`(select id, id as account_id from account where id = ${accountId}) as account`
  await appendEvents({ kind: 'account', type: TYPE, payload, from }).execute(trx)
  await sql`
    update event set expires_at = now() + make_interval(secs => ${auditRetentionSeconds})
    where subject_id = ${accountId} and type = ${TYPE} and expires_at is null`.execute(trx)
}
