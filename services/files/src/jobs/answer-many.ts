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

/** Of so many ids each costs one request. */
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

/** Does it to files of a vault before the answer, which says of each what came of it, in the order of the ids. */
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
    throw new AppError('state_conflict', 'One of the vaults was thrown away meanwhile', { cause: error })
  } finally {
    relay.wake()
  }
}

export function costOf(ids: readonly string[]): number {
  return Math.floor(ids.length / IDS_PER_REQUEST)
}

interface NewMany {
  /** A UUIDv7 of its own unless told. */
  id?: string
  kind: JobKind
  toVaultId?: string | null
  request: object
  /** What lets it in elsewhere. */
  sealedSecret?: string | null
  /** What the installation says of it now: kept with the request, and no part of what a repeated one has to be like. */
  settings?: object
  /** In the transaction that accepts the job, which holds the account's row by then: not again when the request is repeated. */
  alongside?: (trx: Transaction<FilesDb>) => Promise<void>
}

/** Makes a job of it, and begins it. */
export async function answerJob(deps: ManyDeps, many: Many, wanted: NewMany): Promise<ManyAnswer> {
  const { vaultId } = many
  const { toVaultId = null, request } = wanted
  const body = { vaultId, toVaultId, ...request }
  return { results: null, job: await makeJob(deps, many, { ...wanted, vaultId, toVaultId, body }) }
}

interface WantedJob extends NewMany {
  /** Null: it is about the account. */
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
      throw new AppError('too_many_jobs', 'The account has too many jobs that are not over', { retryAfterSeconds: 5 })
    }
    await alongside?.(trx)
    return made
  })
  beginJobs()
  const row = 'created' in outcome ? outcome.created : await findJob(db, outcome.createdBefore, jobsSeenBy(principal))
  if (row === null) throw notFound()
  return toJob(row)
}
