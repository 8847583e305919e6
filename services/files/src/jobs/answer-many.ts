import { createJob, findJob } from '@tideport/bulk-jobs/jobs/account-job'
import { applyToIds } from '@tideport/bulk-jobs/operations/apply-to-ids'
import { VaultGone } from '@tideport/bulk-jobs/operations/move-files'
import type { Operation } from '@tideport/bulk-jobs/operations/operation'
import type { AccountPrincipal } from '@tideport/contracts/internal/principal'
import type { FileFailure } from '@tideport/contracts/public/file-failure'
import type { Job, JobKind } from '@tideport/contracts/public/jobs'
import type { Relay } from '@tideport/file-lifecycle/outbox/start-relay'
import type { FilesDb } from '@tideport/file-lifecycle/state/tables'
import { AppError, notFound } from '@tideport/service-kit/process/app-error'
import type { Kysely, Transaction } from 'kysely'
import { validate as isUuid, v7 as uuidv7 } from 'uuid'
import { prefixesOf } from '../calls/enforce-key-limits.ts'
import { createOnce } from '../calls/idempotency.ts'
import type { SlowCalls } from '../calls/slow-calls.ts'
import type { FilesConfig } from '../config.ts'
import type { BeginJobs } from './begin-jobs.ts'
import { jobsSeenBy, toJob } from './job-view.ts'

export interface ManyDeps {
  db: Kysely<FilesDb>
  slowCalls: SlowCalls
  relay: Pick<Relay, 'wake'>
  beginJobs: BeginJobs
  config: Pick<FilesConfig, 'accountJobsMax'>
}

/** Each request in the cost covers this many IDs. */
const IDS_PER_REQUEST = 20

export interface Many {
  principal: AccountPrincipal
  vaultId: string
  headers: { 'idempotency-key'?: string | undefined }
  charge: (requests: number) => void
}

interface ManyAnswer {
  results: { fileId: string; code: FileFailure | null }[] | null
  job: Job | null
}

/**
 * Applies the operation to named files of a vault before the response. Returns the outcome of each file, in the order
 * of the IDs.
 */
export async function answerIds(
  { db, slowCalls, relay }: ManyDeps,
  { principal, vaultId, charge }: Many,
  { ids, operation }: { ids: readonly string[]; operation: Operation },
): Promise<ManyAnswer> {
  const { accountId } = principal
  const named = [...new Set(ids)]
  charge(costOf(named))
  const chosen = { accountId, vaultId, ids: named.filter((id) => isUuid(id)), prefixes: prefixesOf(principal) }
  try {
    const failures = await slowCalls.run(accountId, () => applyToIds(db, operation, chosen))
    const codeOf = (id: string) => (isUuid(id) ? (failures.get(id) ?? null) : 'not_found')
    return { results: named.map((fileId) => ({ fileId, code: codeOf(fileId) })), job: null }
  } catch (error) {
    if (!(error instanceof VaultGone)) throw error
    throw new AppError('state_conflict', 'A vault was moved to the trash during the request', { cause: error })
  } finally {
    relay.wake()
  }
}

export function costOf(ids: readonly string[]): number {
  return Math.floor(ids.length / IDS_PER_REQUEST)
}

interface NewMany {
  /** Defaults to a new UUIDv7. */
  id?: string
  kind: JobKind
  toVaultId?: string | null
  request: object
  /** Encrypted credentials for another system. */
  sealedSecret?: string | null
  /** Current settings of the installation. Stored with the request, but a repeated request need not match them. */
  settings?: object
  /**
   * Runs in the transaction that creates the job, which has locked the account's row. Does not run again for a repeated
   * request.
   */
  alongside?: (trx: Transaction<FilesDb>) => Promise<void>
}

/** Creates a job for the operation, and starts it. */
export async function answerJob(deps: ManyDeps, many: Many, wanted: NewMany): Promise<ManyAnswer> {
  const { vaultId } = many
  const { toVaultId = null, request } = wanted
  const body = { vaultId, toVaultId, ...request }
  return { results: null, job: await makeJob(deps, many, { ...wanted, vaultId, toVaultId, body }) }
}

interface WantedJob extends NewMany {
  /** Null: the job concerns the account. */
  vaultId: string | null
  toVaultId: string | null
  body: object
}

export async function makeJob(
  { db, beginJobs, config }: ManyDeps,
  { principal, headers }: Pick<Many, 'principal' | 'headers'>,
  { id = uuidv7(), kind, vaultId, toVaultId, request, sealedSecret = null, settings, body, alongside }: WantedJob,
): Promise<Job> {
  const { accountId } = principal
  const asked = { accountId, key: headers['idempotency-key'], operation: kind, resourceId: id }
  const outcome = await createOnce(db, { ...asked, body }, async (trx) => {
    const made = await createJob(trx, {
      ...{ id, accountId, kind, vaultId, toVaultId, sealedSecret },
      request: { ...request, ...settings },
      openMax: config.accountJobsMax,
    })
    if (made === null) {
      throw new AppError(
        'too_many_jobs',
        'The account has too many unfinished jobs. Wait until a job finishes, or cancel one.',
        { retryAfterSeconds: 5 },
      )
    }
    await alongside?.(trx)
    return made
  })
  beginJobs()
  const row = 'created' in outcome ? outcome.created : await findJob(db, outcome.createdBefore, jobsSeenBy(principal))
  if (row === null) throw notFound()
  return toJob(row)
}
