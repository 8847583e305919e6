import type { AccountJobRow } from '@tideport/bulk-jobs/jobs/account-job'
import { JobEnd } from '@tideport/bulk-jobs/jobs/advance-job'
import type { Bucket } from '@tideport/storage-network/s3/bucket'
import { type ExportBucket, openCredentials } from './bucket-request.ts'
import type { ExportDeps } from './export-buckets.ts'

/** Credentials stay in memory. Throws `JobEnd` when they cannot be opened. */
export function openJobsBucket(
  { exportBuckets, log }: Pick<ExportDeps, 'exportBuckets' | 'log'>,
  job: AccountJobRow,
  { folder: _, ...where }: ExportBucket,
): Bucket {
  if (exportBuckets === null || job.sealedSecret === null) throw sealedFast()
  try {
    return exportBuckets.open({ ...where, ...openCredentials(exportBuckets.box, job, job.sealedSecret) })
  } catch (error) {
    log.error({ err: error, jobId: job.id }, 'credentials of an export cannot be opened')
    throw sealedFast()
  }
}

const sealedFast = () =>
  new JobEnd('bucket_failed', 'The credentials of the bucket cannot be read any more: the key that sealed them is gone')
