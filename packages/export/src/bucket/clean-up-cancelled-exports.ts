import type { AccountJobRow } from '@tideport/bulk-jobs/jobs/account-job'
import { lookingUpFor } from '@tideport/service-kit/outgoing/dns-resolver'
import { sql } from 'kysely'
import { exportBucket } from './bucket-request.ts'
import type { ExportDeps } from './export-buckets.ts'
import { abortLeft, openJobsBucket } from './open-jobs-bucket.ts'

/** Longest time that the credentials of a cancelled job are kept. */
const TRIED_SECONDS = 600
const PAUSE_SECONDS = 60
const TRY_MS = 20_000

/**
 * Aborts the uploads of a cancelled export and deletes its credentials. Newly cancelled jobs come first, and slow
 * buckets do not delay the deletion. Returns whether a job was found.
 */
export async function cleanUpCancelledExports(deps: ExportDeps, signal: AbortSignal): Promise<boolean> {
  await sql`update account_job set sealed_secret = null, claimed_until = null where sealed_secret is not null and due_at is null
    and claimed_until <= now() and finished_at <= now() - make_interval(secs => ${TRIED_SECONDS})`.execute(deps.db)
  const { rows } = await sql<AccountJobRow & { isLate: boolean }>`
    update account_job set claimed_until = now() + make_interval(secs => ${PAUSE_SECONDS}) where id = (
      select id from account_job where sealed_secret is not null and due_at is null
        and (claimed_until is null or claimed_until <= now())
      order by claimed_until nulls first, finished_at limit 1 for update skip locked)
    returning *, finished_at <= now() - make_interval(secs => ${TRIED_SECONDS}) as is_late`.execute(deps.db)
  const [job] = rows
  if (job === undefined) return false
  const isLeft = await leave(deps, job, signal)
  if (isLeft || job.isLate) {
    await sql`update account_job set sealed_secret = null, claimed_until = null
      where id = ${job.id} and due_at is null`.execute(deps.db)
  }
  return true
}

async function leave(deps: ExportDeps, job: AccountJobRow, signal: AbortSignal): Promise<boolean> {
  const where = exportBucket.parse(job.request['bucket'])
  try {
    using bucket = openJobsBucket(deps, job, where)
    const ending = AbortSignal.any([signal, AbortSignal.timeout(TRY_MS)])
    await lookingUpFor.run(job.accountId, () => abortLeft(bucket, where, ending))
    return true
  } catch {
    deps.log.warn({ jobId: job.id }, 'uploads of a cancelled export could not be aborted yet')
    return false
  }
}
