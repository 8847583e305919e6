import type { Readable } from 'node:stream'
import { completionOf, documentOf, elementsOf, malformed, S3Error, textOf } from '@tideport/s3-client/response'
import type { Bytes } from '@tideport/s3-client/s3-client'
import { bucketAddress, type Credentials, createSigner } from '@tideport/s3-client/signature'
import { AppError } from '@tideport/service-kit/process/app-error'
import type { Metrics } from '@tideport/service-kit/telemetry/metrics'
import {
  findListed,
  hasMd5ETags,
  openObject,
  readDigests,
  type StoredDigests,
  type WantedBytes,
} from './read-object.ts'
import { createStoreCalls, findCredentials, type HotTierConfig, inTime, isNamed, unavailable } from './store-calls.ts'
import {
  beginUpload,
  canPutOnce,
  copyObject,
  type NewObject,
  readPart,
  storeObject,
  type UploadedPart,
} from './write-object.ts'

/**
 * `refused`: an ETag changed meanwhile. `unanswered`: the store failed, or nothing came back; it may never have heard
 * of it. `answered` proves nothing either: only the object does (docs/file-lifecycle.md §4).
 */
export type CompletionAnswer = 'answered' | 'refused' | 'unanswered'

/**
 * The hot tier: one S3 bucket. Throws `AppError('unavailable')` when the store cannot be reached or fails; a question
 * is answered or given up within 8 s. Something is absent by S3's own word, of a store that answers otherwise too
 * (docs/file-lifecycle.md §1); any other 404 is an outage.
 */
export interface HotTier extends Disposable {
  beginUpload(key: string, mimeType: string): Promise<string>
  presignPart(part: PartUrl): Promise<string>
  presignObject(object: ObjectUrl): Promise<string>
  /** Whether the store keeps the first of several objects under one key; found out by trying, once in a process. */
  canPutOnce(): Promise<boolean>
  /** Null: the store knows no such upload. */
  listParts(key: string, uploadId: string): Promise<UploadedPart[] | null>
  /** Asked for once, for as long as `signal` allows. */
  complete(key: string, uploadId: string, parts: UploadedPart[], signal: AbortSignal): Promise<CompletionAnswer>
  /**
   * Makes an object of bytes that are in memory, unless there is one: then its size is what tells whose it is. The store
   * compares their SHA-256.
   */
  putWhole(key: string, mimeType: string, bytes: Bytes): Promise<'made' | 'there'>
  /**
   * Stores bytes of our own. They exist only once the whole body was read, and `head` shows them; what `body` throws
   * passes unchanged.
   */
  store(key: string, object: NewObject, signal: AbortSignal): Promise<void>
  /**
   * Has the store copy an object of its own under another key; its bytes do not come by us. False: there is no such
   * object.
   */
  copy(
    key: string,
    object: { from: string; sizeBytes: number; mimeType: string },
    signal: AbortSignal,
  ): Promise<boolean>
  /**
   * Size in bytes, or null when there is no such object. Any size but `sizeBytes` is the one in the bucket's list, and so
   * is one without an ETag.
   */
  head(key: string, wanted?: { sizeBytes?: number; signal?: AbortSignal }): Promise<number | null>
  /** Whether the store makes the ETags of such objects by MD5; tried with a new object. */
  hasMd5ETags(form: 'whole' | 'parts', signal: AbortSignal): Promise<boolean>
  /** The digests that the store names for an object; none of an object that it does not have. */
  digests(key: string, signal: AbortSignal): Promise<StoredDigests>
  /** The object's bytes, or those of a range. Null: there is no such object. */
  open(key: string, wanted: WantedBytes | undefined, signal: AbortSignal): Promise<Readable | null>
  presignDownload(download: DownloadUrl): Promise<string>
  remove(key: string, signal?: AbortSignal): Promise<void>
  /** Aborts every upload listed under exactly this key. */
  abortUploads(key: string): Promise<void>
  /** `thoroughly`: by a list of the bucket, which nothing that answers in the store's place has. */
  health(how?: 'thoroughly'): Promise<void>
}

/** Connects to the bucket. Nothing is contacted yet. */
export function openHotTier(config: HotTierConfig, metrics?: Metrics): HotTier {
  const credentials = findCredentials(config)
  const calls = createStoreCalls(config, credentials, metrics)
  const { ask, askOnce, put } = calls
  const presigner = createPresigner(config, credentials)

  async function health(how?: 'thoroughly') {
    if (how === 'thoroughly') return void (await findListed(calls, 'tideport', undefined))
    await ask('HeadBucket', { method: 'HEAD' }).catch((error: unknown) => {
      throw isNamed(error, 'NotFound') ? unavailable(error) : error
    })
  }

  return {
    presignPart: presigner.part,
    presignObject: presigner.object,
    canPutOnce: canPutOnce(ask),
    hasMd5ETags: (form, signal) => hasMd5ETags(calls, form, signal),
    digests: (key, signal) => readDigests(calls, key, signal),
    presignDownload: presigner.download,
    [Symbol.dispose]: () => calls[Symbol.dispose](),

    beginUpload: (key, mimeType) => beginUpload(ask, { key, mimeType }),

    async listParts(key, uploadId) {
      const parts: UploadedPart[] = []
      let marker: string | undefined
      try {
        do {
          const query = { uploadId, ...(marker !== undefined && { 'part-number-marker': marker }) }
          const page = await ask('ListParts', { method: 'GET', key, query }, { read: documentOf('ListPartsResult') })
          for (const part of elementsOf(page, 'Part')) parts.push(readPart(part))
          const next = textOf(page, 'IsTruncated') === 'true' ? textOf(page, 'NextPartNumberMarker') : undefined
          if (next !== undefined && next === marker) throw unavailable(malformed('goes on where it began'))
          marker = next
        } while (marker)
      } catch (error) {
        if (!isNamed(error, 'NoSuchUpload')) throw error
        await health('thoroughly')
        return null
      }
      return parts
    },

    async complete(key, uploadId, parts, signal) {
      // Without If-None-Match a revived upload could replace the bytes after confirm.
      const headers = { 'content-type': 'application/xml', 'if-none-match': '*' }
      const request = { method: 'POST', key, query: { uploadId }, headers, body: completionOf(parts) } as const
      try {
        await askOnce('CompleteMultipartUpload', request, { read: documentOf('CompleteMultipartUploadResult'), signal })
        return 'answered'
      } catch (error) {
        if (isNamed(error, 'InvalidPart') || isNamed(error, 'InvalidPartOrder')) return 'refused'
        // NoSuchUpload, 412 and 409: the object may be there by now or soon.
        return error instanceof AppError ? 'unanswered' : 'answered'
      }
    },

    async putWhole(key, mimeType, bytes) {
      const checksum = Buffer.from(bytes.sha256, 'hex').toString('base64')
      const headers = { 'content-type': mimeType, 'if-none-match': '*', 'x-amz-checksum-sha256': checksum }
      try {
        const made = await put('PutObject', { method: 'PUT', key, headers, body: bytes })
        if (made.headers.etag === undefined) throw unavailable(malformed('has no ETag'))
        return 'made'
      } catch (error) {
        if (error instanceof S3Error && (error.status === 412 || error.status === 409)) return 'there'
        throw error
      }
    },

    store: (key, object, signal) => storeObject(calls, key, object, signal),

    copy: (key, { from, ...object }, signal) =>
      copyObject(calls, key, { source: `/${config.s3Bucket}/${from}`, ...object }, signal),

    head: (key, { sizeBytes: wantedBytes, signal } = {}) =>
      inTime(async (limited) => {
        try {
          const { headers } = await ask('HeadObject', { method: 'HEAD', key }, { signal: limited })
          const sizeBytes = Number(headers['content-length'] ?? 0)
          // A page that is sent in the store's place has a size too, and maybe an ETag.
          if (headers.etag !== undefined && sizeBytes === (wantedBytes ?? sizeBytes)) return sizeBytes
        } catch (error) {
          if (!isNamed(error, 'NotFound')) throw error
        }
        return await findListed(calls, key, limited)
      }, signal),

    open: (key, wanted, signal) => openObject(calls, key, wanted, signal),

    async remove(key, signal) {
      await ask('DeleteObject', { method: 'DELETE', key }, { signal })
    },

    async abortUploads(key) {
      const query = { uploads: '', prefix: key }
      const read = documentOf('ListMultipartUploadsResult')
      const page = await ask('ListMultipartUploads', { method: 'GET', query }, { read })
      for (const upload of [...elementsOf(page, 'Upload')].filter((one) => textOf(one, 'Key') === key)) {
        const uploadId = textOf(upload, 'UploadId') ?? ''
        await ask('AbortMultipartUpload', { method: 'DELETE', key, query: { uploadId } }).catch((error) => {
          if (!isNamed(error, 'NoSuchUpload')) throw error
        })
      }
    },

    health,
  }
}

export interface PartUrl {
  key: string
  uploadId: string
  partNumber: number
  mimeType: string
  sizeBytes: number
  expiresSeconds: number
  /** When the URL's life begins: a `now()` of the database, so that the process's clock does not matter. */
  signedAt: Date
}

export interface ObjectUrl {
  key: string
  mimeType: string
  sizeBytes: number
  expiresSeconds: number
  /** As of a part's. */
  signedAt: Date
}

export interface DownloadUrl {
  key: string
  mimeType: string
  /** A whole Content-Disposition value. */
  disposition: string
  expiresSeconds: number
  /** When the URL's life begins: the `now()` that the file's row was read with. */
  signedAt: Date
}

/** Presigned URLs for clients, at the address clients use. */
export function createPresigner(config: HotTierConfig, credentials: () => Promise<Credentials>) {
  const { s3Region: region, s3Bucket: bucket, s3ForcePathStyle: forcePathStyle } = config
  const endpoint = config.s3PublicEndpoint ?? config.s3Endpoint
  const { origin, host, pathOf } = bucketAddress({ endpoint, region, bucket, forcePathStyle })
  const signer = createSigner(region)

  return {
    /** A PUT of one part; Content-Type and Content-Length are signed, so the store refuses any other. */
    async part(part: PartUrl): Promise<string> {
      const headers = { host, 'content-type': part.mimeType, 'content-length': String(part.sizeBytes) }
      const query = { partNumber: String(part.partNumber), uploadId: part.uploadId, 'x-id': 'UploadPart' }
      const request = { method: 'PUT', path: pathOf(part.key), query, headers }
      return origin + signer.presign(request, await credentials(), part.signedAt, part.expiresSeconds)
    },

    /**
     * A PUT of a whole object that is not there yet. If-None-Match is signed too, so that the store refuses whoever
     * leaves it out.
     */
    async object({ key, mimeType, sizeBytes, expiresSeconds, signedAt }: ObjectUrl): Promise<string> {
      const signed = { 'content-type': mimeType, 'content-length': String(sizeBytes), 'if-none-match': '*' }
      const request = { method: 'PUT', path: pathOf(key), query: { 'x-id': 'PutObject' }, headers: { host, ...signed } }
      return origin + signer.presign(request, await credentials(), signedAt, expiresSeconds)
    },

    /** A GET whose answer carries the file's own type and disposition. */
    async download({ key, mimeType, disposition, expiresSeconds, signedAt }: DownloadUrl): Promise<string> {
      const query = {
        'response-content-type': mimeType,
        'response-content-disposition': disposition,
        'x-id': 'GetObject',
      }
      const request = { method: 'GET', path: pathOf(key), query, headers: { host } }
      return origin + signer.presign(request, await credentials(), signedAt, expiresSeconds)
    },
  }
}

/** When a URL ends that was signed at `signedAt`: signatures know whole seconds only. */
export function expiryOf(signedAt: Date, lifetimeSeconds: number): Date {
  return new Date((Math.floor(signedAt.getTime() / 1000) + lifetimeSeconds) * 1000)
}
