import type { AuditActor } from '@tideport/contracts/public/audit-event'
import type { JobFailure, JobKind } from '@tideport/contracts/public/jobs'
import { appendEvents, causeColumns, timelinePayload } from '@tideport/file-lifecycle/state/append-event'
import { CLAIM_SECONDS } from '@tideport/file-lifecycle/state/state'
import type { FilesDb } from '@tideport/file-lifecycle/state/tables'
import { currentCause } from '@tideport/service-kit/context/request-context'
import { type Kysely, type RawBuilder, sql, type Transaction } from 'kysely'
import { jobsObservedBy } from './job-metrics.ts'

export type JobState = 'queued' | 'running' | 'done' | 'failed' | 'cancelled'

/** A row of `account_job`. */
export interface AccountJobRow {
  id: string
  accountId: string
  kind: JobKind
  vaultId: string | null
  toVaultId: string | null
  /** Its kind defines the form, as of `progress`. */
  request: Record<string, unknown>
  progress: Record<string, unknown> | null
  /** Sealed credentials for a bucket; null: none, or the job is over. */
  sealedSecret: string | null
  state: JobState
  done: number
  failed: number
  failures: JobFailure[]
  errorCode: string | null
  error: string | null
  attempt: number
  /** Its bucket was slow, failed, or is not proved to be fast yet. */
  isSlow: boolean
  /** Null: the job is over. */
  dueAt: Date | null
  fencingToken: number
  requestId: string
  traceparent: string
  actor: AuditActor | null
  clientAddress: string | null
  createdAt: Date
  startedAt: Date | null
  updatedAt: Date
  finishedAt: Date | null
}

/**
 * Assignments that finish a job and erase its credentials. A cancelled job keeps its credentials until its uploads are
 * aborted (bucket/clean-up-cancelled-exports.ts).
 */
export function over(
  state: JobState,
  { code = null, sentence = null }: { code?: string | null; sentence?: string | null } = {},
) {
  return sql`state = ${state}, due_at = null, claimed_until = null, finished_at = now(), updated_at = now(),
    error_code = ${code}, error = ${sentence}, sealed_secret = ${state === 'cancelled' ? sql`case when started_at is not null then sealed_secret end` : null}`
}

export const claimedAgain = sql`claimed_until = now() + make_interval(secs => ${CLAIM_SECONDS})`

/** Null: another process has claimed the job, or it is over. */
export async function writeJob(
  db: Kysely<FilesDb>,
  { id, fencingToken }: Pick<AccountJobRow, 'id' | 'fencingToken'>,
  set: RawBuilder<unknown>,
): Promise<AccountJobRow | null> {
  const { rows } = await sql<AccountJobRow>`
    update account_job set ${set} where id = ${id} and fencing_token = ${fencingToken} and due_at is not null
    returning *`.execute(db)
  return rows[0] ?? null
}

interface Seen {
  /** Only jobs whose vaults are all in this list. Null: all jobs. */
  vaultIds: readonly string[] | null
  /** Only jobs that this key requested. Null: all jobs. */
  keyId?: string | null
}

export function seenJobs(accountId: string, { vaultIds, keyId = null }: Seen): RawBuilder<unknown> {
  const isWithin =
    vaultIds === null
      ? sql`true`
      : sql`vault_id = any(${vaultIds}::uuid[])
    and (to_vault_id is null or to_vault_id = any(${vaultIds}::uuid[]))`
  return sql`account_id = ${accountId} and ${isWithin} and ${keyId === null ? sql`true` : sql`actor->>'keyId' = ${keyId}`}`
}

/** Null: the caller sees no such job. */
export async function findJob(
  db: Kysely<FilesDb>,
  jobId: string,
  isSeen: RawBuilder<unknown>,
): Promise<AccountJobRow | null> {
  const { rows } = await sql<AccountJobRow>`select * from account_job where id = ${jobId} and ${isSeen}`.execute(db)
  return rows[0] ?? null
}

/** Cancels a job, with an event in the account's log, and rolls back an uncommitted batch. Null: not found, or over. */
export async function cancelJob(
  db: Kysely<FilesDb>,
  jobId: string,
  isSeen: RawBuilder<unknown>,
  { auditRetentionSeconds }: { auditRetentionSeconds: number },
): Promise<AccountJobRow | null> {
  const cancelled = await db.transaction().execute(async (trx) => {
    const { rows } = await sql<AccountJobRow>`
      update account_job set ${over('cancelled')}, fencing_token = fencing_token + 1
      where id = ${jobId} and due_at is not null and ${isSeen}
      returning *`.execute(trx)
    const [job] = rows
    if (job === undefined) return null
    const { accountId, id, kind, vaultId, done, failed } = job
    const payload = timelinePayload({ jobId: id, jobKind: kind, vaultId, done, failed })
    await tellAccount(trx, { accountId, type: 'job.cancelled', payload, auditRetentionSeconds })
    return job
  })
  if (cancelled) jobsObservedBy(db).ended?.(cancelled, 'cancelled')
  return cancelled
}

interface Told {
  accountId: string
  type: string
  payload: RawBuilder<unknown>
  auditRetentionSeconds: number
}

/** Writes an event about the account to its log. No purge deletes it, so it expires. */
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

export interface NewJob {
  /** UUIDv7. */
  id: string
  accountId: string
  kind: JobKind
  /** Null: the job concerns the account. */
  vaultId: string | null
  /** The target vault, if it differs from the source. */
  toVaultId: string | null
  request: object
  sealedSecret?: string | null
  /** How many unfinished jobs an account may have. */
  openMax: number
}

/**
 * Creates a job behind the unfinished jobs of its vault, on behalf of the caller. Locks the account's row, so
 * concurrent requests cannot exceed the limit. Null: the account has too many jobs.
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

/** Within the last hour, a job into a bucket was slow and did not succeed, so the next job starts as slow. */
const wasSlow = (accountId: string) => sql`exists (select from account_job where account_id = ${accountId} and is_slow
  and state in ('cancelled', 'failed') and finished_at > now() - interval '1 hour')`
