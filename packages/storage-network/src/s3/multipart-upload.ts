import { hash } from 'node:crypto'
import { completionOf, documentOf, elementsOf, malformed, readUploadId, textOf } from '@tideport/s3-client/response'
import type { Bytes } from '@tideport/s3-client/s3-client'
import { NetworkError } from '../errors.ts'
import type { Bucket } from './bucket.ts'
import { failureOf, isAbsent, readable } from './failure.ts'
import { checksumOf, orNull, versionIn } from './objects.ts'
import { pagesOf } from './pages.ts'

/** Most parts that S3 accepts. All but the last must have at least 5 MiB. */
export const PARTS_MAX = 10_000

interface Part {
  etag: string
  sha256: string
}

export interface MultipartUpload {
  /** Sequentially. The bucket compares the SHA-256 of each part. */
  addPart(bytes: Bytes, signal: AbortSignal): Promise<void>
  /** Creates the object. Returns its version, if the bucket has versions. @throws NetworkError `staged_lost` if the upload is missing */
  complete(signal: AbortSignal): Promise<string | undefined>
  abort(signal: AbortSignal): Promise<void>
}

export async function beginUpload(
  bucket: Bucket,
  key: string,
  headers: Record<string, string>,
  signal: AbortSignal,
): Promise<MultipartUpload> {
  const all = { ...headers, 'x-amz-checksum-algorithm': 'SHA256' }
  const begun = await bucket.ask({ method: 'POST', key, query: { uploads: '' }, headers: all }, signal)
  const uploadId = readable(() => readUploadId(begun))
  const parts: Part[] = []
  return {
    async addPart(bytes, sending) {
      const query = { partNumber: String(parts.length + 1), uploadId }
      const sent = { 'x-amz-checksum-sha256': checksumOf(bytes.sha256) }
      const answer = await stillThere(bucket.send({ method: 'PUT', key, query, headers: sent, body: bytes }, sending))
      const { etag } = answer.headers
      if (typeof etag !== 'string') throw failureOf(malformed('has no ETag'))
      parts.push({ etag, sha256: bytes.sha256 })
    },

    async complete(completing) {
      const sent = { 'content-type': 'application/xml' }
      const request = {
        method: 'POST',
        key,
        query: { uploadId },
        headers: sent,
        body: completionOf(parts.map(storedPart)),
      } as const
      const answer = await stillThere(bucket.send(request, completing))
      // If present: the checksum of the parts' checksums.
      const completed = readable(() => documentOf('CompleteMultipartUploadResult')(answer))
      const checksum = textOf(completed, 'ChecksumSHA256')
      if (checksum !== undefined && checksum !== checksumOfAll(parts)) {
        throw new NetworkError('copy_failed', 'the bucket assembled different bytes than it received')
      }
      return versionIn(answer)
    },

    async abort(aborting) {
      await orNull(bucket.ask({ method: 'DELETE', key, query: { uploadId } }, aborting))
    },
  }
}

/** Aborts incomplete uploads below a prefix that began before the given time. */
export async function abortUploads(bucket: Bucket, prefix: string, before: Date, signal: AbortSignal): Promise<void> {
  const next = { 'key-marker': 'NextKeyMarker', 'upload-id-marker': 'NextUploadIdMarker' }
  const list = { root: 'ListMultipartUploadsResult', query: { uploads: '', prefix }, next }
  for await (const page of pagesOf(bucket, list, signal)) {
    for (const upload of elementsOf(page, 'Upload')) {
      const [key, uploadId, began] = ['Key', 'UploadId', 'Initiated'].map((name) => textOf(upload, name))
      if (!key?.startsWith(prefix) || !uploadId || !(new Date(began ?? '') < before)) continue
      await orNull(bucket.ask({ method: 'DELETE', key, query: { uploadId } }, signal))
    }
  }
}

async function stillThere<T>(call: Promise<T>): Promise<T> {
  try {
    return await call
  } catch (error) {
    throw isAbsent(error) ? new NetworkError('staged_lost', 'the staged bytes no longer exist') : error
  }
}

const storedPart = ({ etag, sha256 }: Part, index: number) => ({
  partNumber: index + 1,
  etag,
  checksumSha256: checksumOf(sha256),
})

function checksumOfAll(parts: Part[]): string {
  const all = hash('sha256', Buffer.from(parts.map(({ sha256 }) => sha256).join(''), 'hex'), 'base64')
  return `${all}-${parts.length}`
}
