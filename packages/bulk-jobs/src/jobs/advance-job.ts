import type { FileFailure } from '@tideport/contracts/public/file-failure'
import { JOB_FAILURES_MAX, type JobFailure, type JobKind } from '@tideport/contracts/public/jobs'
import type { Networks } from '@tideport/file-lifecycle/copies/networks'
import type { Relay } from '@tideport/file-lifecycle/outbox/start-relay'
import type { FilesDb } from '@tideport/file-lifecycle/state/tables'
import type { HotTier } from '@tideport/hot-tier/hot-tier'
import type { Log } from '@tideport/service-kit/telemetry/logger'
import { type Kysely, sql } from 'kysely'
import { type AccountJobRow, claimedAgain, over, writeJob } from './account-job.ts'

/** What kinds of jobs need: how files are thrown away, restored, removed and copied. */
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

/** What a job may do before it is asked again. */
export interface Batch {
  /** Files. */
  limit: number
  /** It has a place of those whose buckets are slow. */
  isSlow: boolean
  signal: AbortSignal
}

/** What a kind of job does: the whole of a kind is one of these. */
export interface KindOfJob {
  /** It asks Postgres alone, so that each batch is over in a moment. */
  isQuick: boolean
  /** At the beginning of each turn: takes away what an earlier claim has left behind. */
  begin?(deps: JobDeps, job: AccountJobRow): Promise<void>
  /**
   * Does one batch of up to `limit` files, in one transaction with `writeAdvance`, and returns the row that that wrote.
   * Throws `JobEnd` when it cannot go on. What is done outside of Postgres before that ends with `signal`.
   */
  advance(deps: JobDeps, job: AccountJobRow, batch: Batch): Promise<AccountJobRow>
}

/** Every kind of job. */
export type KindsOfJobs = Record<JobKind, KindOfJob>

/** The claim is somebody else's, or the job was cancelled: what the transaction did is to be taken back. */
export class JobLost extends Error {
  override name = 'JobLost'
}

/** `bucket_failed`: the bucket of an export does not take it. */
type JobErrorCode = FileFailure | 'bucket_failed'

/** A job cannot go on, and its page says why. */
export class JobEnd extends Error {
  override name = 'JobEnd'
  readonly code: JobErrorCode

  constructor(code: JobErrorCode, sentence: string) {
    super(sentence)
    this.code = code
  }
}

/** What may go well when it is tried again later; where it never does, the job's page says why. */
export class JobTrouble extends JobEnd {
  override name = 'JobTrouble'
}

/** What came of a batch. */
export interface Advance {
  progress: object | null
  /** How many files it changed. */
  done: number
  failures: readonly JobFailure[]
  isOver: boolean
}

/** Writes how far a job is, in the transaction that got it there. Throws `JobLost`. */
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
  if (written === null) throw new JobLost('The job is not ours any more')
  return written
}

/** Throws `JobEnd` unless the vaults of a job are there, and not in the trash. */
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
