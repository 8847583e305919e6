import type { FilesDb } from '@tideport/file-lifecycle/state/tables'
import { tellAccount } from '@tideport/file-lifecycle/state/tell-account'
import { sql, type Transaction } from 'kysely'

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
  await tellAccount(trx, { accountId, type: 'account.export_started', payload, auditRetentionSeconds })
}
