import type { AccountJobRow } from '@tideport/bulk-jobs/jobs/account-job'
import { JobEnd } from '@tideport/bulk-jobs/jobs/job-kind'
import type { Bucket } from '@tideport/storage-network/s3/bucket'
import { answerOf } from '@tideport/storage-network/s3/failure'
import { abortUploads } from '@tideport/storage-network/s3/multipart-upload'
import { type ExportBucket, openCredentials } from './bucket-request.ts'
import type { ExportDeps } from './export-buckets.ts'

/** Keeps the credentials in memory only. Throws `JobEnd` when they cannot be decrypted. */
export function openJobsBucket(
  { exportBuckets, log }: Pick<ExportDeps, 'exportBuckets' | 'log'>,
  job: AccountJobRow,
  { folder: _, ...where }: ExportBucket,
): Bucket {
  if (exportBuckets === null || job.sealedSecret === null) throw sealedFast()
  try {
    return exportBuckets.open({ ...where, ...openCredentials(exportBuckets.box, job, job.sealedSecret) })
  } catch (error) {
    log.error({ err: error, jobId: job.id }, 'the credentials of an export cannot be decrypted')
    throw sealedFast()
  }
}

const sealedFast = () =>
  new JobEnd(
    'bucket_failed',
    'The credentials of the bucket cannot be decrypted: the key that encrypted them is no longer configured. Start a new export.',
  )

const EVER = new Date(8.64e15)

/** Aborts open uploads that an earlier claim left, if the credentials permit it. */
export async function abortLeft(bucket: Bucket, { folder }: ExportBucket, signal: AbortSignal): Promise<void> {
  try {
    await abortUploads(bucket, folder, EVER, signal)
  } catch (error) {
    const answer = answerOf(error)
    if (answer === null || answer.status >= 500) throw error
  }
}
