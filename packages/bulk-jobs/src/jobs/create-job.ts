import type { JobKind } from '@tideport/contracts/public/jobs'
import { causeColumns } from '@tideport/file-lifecycle/state/append-event'
import type { FilesDb } from '@tideport/file-lifecycle/state/tables'
import { currentCause } from '@tideport/service-kit/context/request-context'
import { sql, type Transaction } from 'kysely'
import type { AccountJobRow } from './account-job.ts'

export interface NewJob {
  /** A UUIDv7. */
  id: string
  accountId: string
  kind: JobKind
  /** Null: it is about the account. */
  vaultId: string | null
  /** Another vault that files come to. */
  toVaultId: string | null
  request: object
  /** What it is allowed to use elsewhere. */
  sealedSecret?: string | null
  /** So many may an account have that are not over. */
  openMax: number
}

/**
 * Accepts a job, behind those of its vault that are not over; what it does is done on behalf of who is calling. The account's
 * row is held from here on, so that nobody else takes the last place. Whose last ones into buckets were slow begins among the slow
 * ones. Null: the account has too many.
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

/** Within an hour. What is done was not, or not for long. */
const wasSlow = (accountId: string) => sql`exists (select from account_job where account_id = ${accountId} and is_slow
  and state in ('cancelled', 'failed') and finished_at > now() - interval '1 hour')`
