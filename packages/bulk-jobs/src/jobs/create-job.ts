import type { JobKind } from '@tideport/contracts/public/jobs'
import { causeColumns } from '@tideport/file-lifecycle/state/append-event'
import type { FilesDb } from '@tideport/file-lifecycle/state/tables'
import { currentCause } from '@tideport/service-kit/context/request-context'
import { sql, type Transaction } from 'kysely'
import type { AccountJobRow } from './account-job.ts'

export interface NewJob {
  /** UUIDv7. */
  id: string
  accountId: string
  kind: JobKind
  /** Null: a job of the account. */
  vaultId: string | null
  /** The target vault, if it is another one. */
  toVaultId: string | null
  request: object
  sealedSecret?: string | null
  /** How many unfinished jobs an account may have. */
  openMax: number
}

/**
 * Creates a job behind the unfinished jobs of its vault, on behalf of the caller. Locks the account's row, so no other
 * request takes the last place. Null: the account has too many jobs.
 */
export async function createJob(trx: Transaction<FilesDb>, job: NewJob): Promise<AccountJobRow | null> {
  const { id, accountId, kind, vaultId, toVaultId, request, sealedSecret = null, openMax } = job
  await sql`select from account where id = ${accountId} for no key update`.execute(trx)
  const { origin, ...cause } = currentCause()
  const actor = origin && { ...origin.actor, method: 'job' as const, jobId: id }
  const columns = causeColumns({ ...cause, origin: origin && actor && { ...origin, actor } })
  const { rows } = await sql<AccountJobRow>`
    insert into account_job (id, account_id, kind, lane, vault_id, to_vault_id, request, sealed_secret, is_slow,
      request_id, traceparent, actor, client_address)
    select ${id}::uuid, ${accountId}::uuid, ${kind}, ${vaultId ?? accountId}::uuid, ${vaultId}::uuid, ${toVaultId}::uuid,
      ${JSON.stringify(request)}::jsonb, ${sealedSecret}::text,
      ${sealedSecret === null ? sql`false` : wasSlow(accountId)}, ${columns.requestId}, ${columns.traceparent}, ${columns.actor}::jsonb,
      ${columns.clientAddress}
    where (select count(*) from account_job where account_id = ${accountId} and due_at is not null) < ${openMax}
    returning *`.execute(trx)
  return rows[0] ?? null
}

/** Within an hour. */
const wasSlow = (accountId: string) => sql`exists (select from account_job where account_id = ${accountId} and is_slow
  and state in ('cancelled', 'failed') and finished_at > now() - interval '1 hour')`
