import type { Readable } from 'node:stream'
import {
  AbortMultipartUploadCommand,
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  DeleteObjectCommand,
  GetObjectCommand,
  HeadBucketCommand,
  HeadObjectCommand,
  ListMultipartUploadsCommand,
  ListPartsCommand,
} from '@aws-sdk/client-s3'
import { AppError } from '@tideport/service-kit/process/app-error'
import type { Metrics } from '@tideport/service-kit/telemetry/metrics'
import type { ByteRange } from '@tideport/storage-network/storage-network'
import type { HotTierConfig } from './hot-tier-config.ts'
import { createPresigner, type DownloadUrl, type PartUrl } from './presign.ts'
import { createStoreClient, isNamed } from './store-client.ts'
import { type NewObject, storeObject } from './store-object.ts'

export interface UploadedPart {
  partNumber: number
  sizeBytes: number
  etag: string
}

/**
 * `refused`: an ETag changed meanwhile. `unanswered`: the store failed, or nothing came back; it may never have heard of
 * it. `answered` proves nothing either: only the object does (docs/file-lifecycle.md §4).
 */
export type CompletionAnswer = 'answered' | 'refused' | 'unanswered'

/**
 * The hot tier: one S3 bucket. Throws `AppError('unavailable')` when the store cannot be reached or fails; a question is
 * answered or given up within 8 s.
 */
export interface HotTier extends Disposable {
  beginUpload(key: string, mimeType: string): Promise<string>
  presignPart(part: PartUrl): Promise<string>
  /** Null: the store knows no such upload. */
  listParts(key: string, uploadId: string): Promise<UploadedPart[] | null>
  /** Asked for once, for as long as `signal` allows. */
  complete(key: string, uploadId: string, parts: UploadedPart[], signal: AbortSignal): Promise<CompletionAnswer>
  /** Stores bytes of our own. They exist only once the whole body was read; what `body` throws passes unchanged. */
  store(key: string, object: NewObject, signal: AbortSignal): Promise<void>
  /** Size in bytes, or null when there is no such object. */
  head(key: string, signal?: AbortSignal): Promise<number | null>
  /** Null: there is no such object. */
  open(key: string, range: ByteRange | undefined, signal: AbortSignal): Promise<Readable | null>
  presignDownload(download: DownloadUrl): Promise<string>
  remove(key: string, signal?: AbortSignal): Promise<void>
  /** Aborts every upload listed under exactly this key. */
  abortUploads(key: string): Promise<void>
  health(): Promise<void>
}

/** Connects to the bucket. Nothing is contacted yet. */
export function openHotTier(config: HotTierConfig, metrics?: Metrics): HotTier {
  const { s3Bucket: Bucket } = config
  const client = createStoreClient(config, metrics)
  const { ask, stream, sendOnce } = client
  const presigner = createPresigner(config, client.config)

  return {
    presignPart: presigner.part,
    presignDownload: presigner.download,
    [Symbol.dispose]: () => client[Symbol.dispose](),

    async beginUpload(Key, ContentType) {
      const { UploadId } = await ask(new CreateMultipartUploadCommand({ Bucket, Key, ContentType }))
      if (!UploadId) throw new Error('The store answered no upload id')
      return UploadId
    },

    async listParts(Key, UploadId) {
      const parts: UploadedPart[] = []
      let PartNumberMarker: string | undefined
      try {
        do {
          const page = await ask(new ListPartsCommand({ Bucket, Key, UploadId, PartNumberMarker }))
          for (const part of page.Parts ?? []) {
            parts.push({ partNumber: part.PartNumber ?? 0, sizeBytes: part.Size ?? -1, etag: part.ETag ?? '' })
          }
          PartNumberMarker = page.IsTruncated ? page.NextPartNumberMarker : undefined
        } while (PartNumberMarker)
      } catch (error) {
        if (isNamed(error, 'NoSuchUpload')) return null
        throw error
      }
      return parts
    },

    async complete(Key, UploadId, parts, abortSignal) {
      const MultipartUpload = { Parts: parts.map((part) => ({ PartNumber: part.partNumber, ETag: part.etag })) }
      // Without If-None-Match a revived upload could replace the bytes after confirm.
      const command = new CompleteMultipartUploadCommand({ Bucket, Key, UploadId, MultipartUpload, IfNoneMatch: '*' })
      try {
        await sendOnce(command, { abortSignal })
        return 'answered'
      } catch (error) {
        if (isNamed(error, 'InvalidPart') || isNamed(error, 'InvalidPartOrder')) return 'refused'
        // NoSuchUpload, 412 and 409: the object may be there by now or soon.
        return error instanceof AppError ? 'unanswered' : 'answered'
      }
    },

    store: (Key, object, signal) => storeObject(stream, { Bucket, Key }, object, signal),

    async head(Key, abortSignal) {
      try {
        const { ContentLength } = await ask(new HeadObjectCommand({ Bucket, Key }), {
          ...(abortSignal && { abortSignal }),
        })
        return ContentLength ?? 0
      } catch (error) {
        if (isAbsent(error)) return null
        throw error
      }
    },

    async open(Key, range, abortSignal) {
      const Range = range && `bytes=${range.start}-${range.end}`
      try {
        const { Body } = await stream(new GetObjectCommand({ Bucket, Key, Range }), { abortSignal })
        return Body as Readable
      } catch (error) {
        if (isAbsent(error)) return null
        throw error
      }
    },

    async remove(Key, abortSignal) {
      await ask(new DeleteObjectCommand({ Bucket, Key }), { ...(abortSignal && { abortSignal }) })
    },

    async abortUploads(key) {
      const { Uploads = [] } = await ask(new ListMultipartUploadsCommand({ Bucket, Prefix: key }))
      for (const upload of Uploads.filter(({ Key }) => Key === key)) {
        await ask(new AbortMultipartUploadCommand({ Bucket, Key: key, UploadId: upload.UploadId })).catch((error) => {
          if (!isNamed(error, 'NoSuchUpload')) throw error
        })
      }
    },

    async health() {
      await ask(new HeadBucketCommand({ Bucket }))
    },
  }
}

function isAbsent(error: unknown): boolean {
  return isNamed(error, 'NoSuchKey') || isNamed(error, 'NotFound')
}
