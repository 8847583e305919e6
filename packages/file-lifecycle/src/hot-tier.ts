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
  S3Client,
} from '@aws-sdk/client-s3'
import { AppError } from '@tideport/service-kit/app-error'
import type { ByteRange } from '@tideport/storage-network/storage-network'
import type { HotTierConfig } from './hot-tier-config.ts'
import { createPresigner, type DownloadUrl, type PartUrl } from './presign.ts'
import { type NewObject, storeObject } from './store-object.ts'

export interface UploadedPart {
  partNumber: number
  sizeBytes: number
  etag: string
}

/** `refused`: an ETag changed meanwhile. The others prove nothing, only the object does (docs/file-lifecycle.md §4). */
export type CompletionAnswer = 'answered' | 'refused' | 'no_such_upload'

/** The hot tier: one S3 bucket. Throws `AppError('unavailable')` when the store cannot be reached or fails. */
export interface HotTier extends Disposable {
  beginUpload(key: string, mimeType: string): Promise<string>
  presignPart(part: PartUrl): Promise<string>
  /** Null: the store knows no such upload. */
  listParts(key: string, uploadId: string): Promise<UploadedPart[] | null>
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

const CONNECT_TIMEOUT_MS = 2_000
const ANSWER_TIMEOUT_MS = 4_000

/** Connects to the bucket. Nothing is contacted yet. */
export function openHotTier(config: HotTierConfig): HotTier {
  const { s3Bucket: Bucket } = config
  const client = createClient(config)
  const presigner = createPresigner(config, client.config)
  const send: S3Client['send'] = (async (command: never, options?: never) => {
    try {
      return await client.send(command, options)
    } catch (error) {
      throw asUnavailable(error)
    }
  }) as never

  return {
    presignPart: presigner.part,
    presignDownload: presigner.download,
    [Symbol.dispose]: () => client.destroy(),

    async beginUpload(Key, ContentType) {
      const { UploadId } = await send(new CreateMultipartUploadCommand({ Bucket, Key, ContentType }))
      if (!UploadId) throw new Error('The store answered no upload id')
      return UploadId
    },

    async listParts(Key, UploadId) {
      const parts: UploadedPart[] = []
      let PartNumberMarker: string | undefined
      try {
        do {
          const page = await send(new ListPartsCommand({ Bucket, Key, UploadId, PartNumberMarker }))
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
        await client.send(command, { abortSignal, requestTimeout: 0 })
        return 'answered'
      } catch (error) {
        if (isNamed(error, 'NoSuchUpload')) return 'no_such_upload'
        if (isNamed(error, 'InvalidPart') || isNamed(error, 'InvalidPartOrder')) return 'refused'
        // 412, 409, time-outs and 5xx prove nothing: the object may be there by now or soon.
        return 'answered'
      }
    },

    store: (Key, object, signal) => storeObject(send, { Bucket, Key }, object, signal),

    async head(Key, abortSignal) {
      try {
        const { ContentLength } = await send(new HeadObjectCommand({ Bucket, Key }), {
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
        const { Body } = await send(new GetObjectCommand({ Bucket, Key, Range }), { abortSignal })
        return Body as Readable
      } catch (error) {
        if (isAbsent(error)) return null
        throw error
      }
    },

    async remove(Key, abortSignal) {
      await send(new DeleteObjectCommand({ Bucket, Key }), { ...(abortSignal && { abortSignal }) })
    },

    async abortUploads(key) {
      const { Uploads = [] } = await send(new ListMultipartUploadsCommand({ Bucket, Prefix: key }))
      for (const upload of Uploads.filter(({ Key }) => Key === key)) {
        await send(new AbortMultipartUploadCommand({ Bucket, Key: key, UploadId: upload.UploadId })).catch((error) => {
          if (!isNamed(error, 'NoSuchUpload')) throw error
        })
      }
    },

    async health() {
      await send(new HeadBucketCommand({ Bucket }))
    },
  }
}

function createClient(config: HotTierConfig): S3Client {
  const { awsAccessKeyId, awsSecretAccessKey } = config
  return new S3Client({
    region: config.s3Region,
    forcePathStyle: config.s3ForcePathStyle,
    maxAttempts: 2,
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    requestHandler: {
      connectionTimeout: CONNECT_TIMEOUT_MS,
      requestTimeout: ANSWER_TIMEOUT_MS,
      throwOnRequestTimeout: true,
      httpAgent: { maxSockets: 256, keepAlive: true },
      httpsAgent: { maxSockets: 256, keepAlive: true },
    },
    ...(config.s3Endpoint && { endpoint: config.s3Endpoint }),
    ...(awsAccessKeyId &&
      awsSecretAccessKey && { credentials: { accessKeyId: awsAccessKeyId, secretAccessKey: awsSecretAccessKey } }),
  })
}

function isNamed(error: unknown, name: string): boolean {
  return error instanceof Error && error.name === name
}

function isAbsent(error: unknown): boolean {
  return isNamed(error, 'NoSuchKey') || isNamed(error, 'NotFound')
}

/** Client faults (4xx) pass, everything else means that the store cannot do it now. Aborts pass too. */
function asUnavailable(error: unknown): unknown {
  const status = (error as { $metadata?: { httpStatusCode?: number } }).$metadata?.httpStatusCode
  if (isNamed(error, 'AbortError') || (status !== undefined && status >= 400 && status < 500 && status !== 429)) {
    return error
  }
  return new AppError('unavailable', 'The object storage is temporarily unavailable', {
    cause: error,
    retryAfterSeconds: 5,
  })
}
