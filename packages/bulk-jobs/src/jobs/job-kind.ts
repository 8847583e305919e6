import type { FileFailure } from '@tideport/contracts/public/file-failure'
import { JOB_FAILURES_MAX, type JobFailure, type JobKind } from '@tideport/contracts/public/jobs'
import type { Networks } from '@tideport/file-lifecycle/copies/networks'
import type { Relay } from '@tideport/file-lifecycle/outbox/start-relay'
import type { FilesDb } from '@tideport/file-lifecycle/state/tables'
import type { HotTier } from '@tideport/hot-tier/hot-tier'
import type { Log } from '@tideport/service-kit/telemetry/logger'
import { type Kysely, sql } from 'kysely'
import { type AccountJobRow, claimedAgain, over, writeJob } from './account-job.ts'

export interface JobDeps {
  db: Kysely<FilesDb>
  hotTier: HotTier
  networks: Networks
  relay: Pick<Relay, 'wake'>
  log: Log
  trashRetentionSeconds: number
  settleSeconds: number
  downloadUrlSeconds: number
  clockSkewSeconds: number
}

export interface Batch {
  /** Number of files. */
  limit: number
  /** The batch runs in the queue for slow buckets. */
  isSlow: boolean
  signal: AbortSignal
}

export interface KindOfJob {
  /** Each batch is short, because it only uses Postgres. */
  isQuick: boolean
  /** Removes the remains of an earlier claim before each turn. */
  begin?(deps: JobDeps, job: AccountJobRow): Promise<void>
  /**
   * Does a batch of up to `limit` files in one transaction with `writeAdvance`, whose row it returns. Throws `JobEnd`
   * when it cannot continue. Work outside Postgres ends with `signal`.
   */
  advance(deps: JobDeps, job: AccountJobRow, batch: Batch): Promise<AccountJobRow>
}

export type KindsOfJobs = Record<JobKind, KindOfJob>

/** The job was cancelled, or another process claimed it. The transaction is rolled back. */
export class JobLost extends Error {
  override name = 'JobLost'
}

/** `bucket_failed`: the bucket of an export refuses it. */
type JobErrorCode = FileFailure | 'bucket_failed'

/** The job cannot continue. Its page shows the message. */
export class JobEnd extends Error {
  override name = 'JobEnd'
  readonly code: JobErrorCode

  constructor(code: JobErrorCode, sentence: string) {
    super(sentence)
    this.code = code
  }
}

/** May succeed on a retry. If all retries fail, the page of the job shows the message. */
export class JobTrouble extends JobEnd {
  override name = 'JobTrouble'
}

export interface Advance {
  progress: object | null
  /** In changed files. */
  done: number
  failures: readonly JobFailure[]
  isOver: boolean
}

/** Part of the batch's transaction. Throws `JobLost`. */
export async function writeAdvance(
  trx: Kysely<FilesDb>,
  job: AccountJobRow,
  { progress, done, failures, isOver }: Advance,
): Promise<AccountJobRow> {
  const told = [...job.failures, ...failures].slice(0, JOB_FAILURES_MAX)
  const end = isOver ? over('done') : sql`${claimedAgain}, updated_at = now()`
  const written = await writeJob(
    trx,
    job,
    sql`progress = ${progress && JSON.stringify(progress)}::jsonb, done = done + ${done}, failed = failed + ${failures.length},
      failures = ${JSON.stringify(told)}::jsonb, attempt = 0, ${end}`,
  )
  if (written === null) throw new JobLost('Another process has claimed the job')
  return written
}

/** Throws `JobEnd` unless the vaults of a job exist outside the trash. */
export async function assertVaultsLive(db: Kysely<FilesDb>, job: AccountJobRow): Promise<void> {
  const { accountId, vaultId, toVaultId } = job
  const vaultIds = [...new Set([vaultId, toVaultId].filter((id) => id !== null))]
  const { rows } = await sql`
    select from vault where id = any(${vaultIds}::uuid[]) and account_id = ${accountId} and deleted_at is null`.execute(
    db,
  )
  if (rows.length < vaultIds.length) throw vaultGone()
}

export const vaultGone = () => new JobEnd('state_conflict', 'A vault of the job was moved to the trash')
