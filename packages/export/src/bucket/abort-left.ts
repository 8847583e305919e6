import type { Bucket } from '@tideport/storage-network/s3/bucket'
import { answerOf } from '@tideport/storage-network/s3/failure'
import { abortUploads } from '@tideport/storage-network/s3/multipart-upload'
import type { ExportBucket } from './bucket-request.ts'

const EVER = new Date(8.64e15)

/** Aborts the open uploads of an export, which an earlier claim left, if the credentials permit it. */
export async function abortLeft(bucket: Bucket, { folder }: ExportBucket, signal: AbortSignal): Promise<void> {
  try {
    await abortUploads(bucket, folder, EVER, signal)
  } catch (error) {
    const answer = answerOf(error)
    if (answer === null || answer.status >= 500) throw error
  }
}
