import type { Readable } from 'node:stream'
import { completionOf, documentOf, elementsOf, malformed, S3Error, textOf } from '@tideport/s3-client/response'
import type { Bytes, BytesOnce } from '@tideport/s3-client/s3-client'
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
import { copyToPart, findPart, type PartPlace, pourObject, pourPart } from './single-part.ts'
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
 * `refused`: an ETag changed. `unanswered`: the store failed and may not have received it. Only the object proves
 * success (docs/explain/life-of-a-file.md §4).
 */
export type CompletionAnswer = 'answered' | 'refused' | 'unanswered'

/**
 * One S3 bucket. Throws `AppError('unavailable')` when the store fails or takes longer than 8 s. Only S3's own error
 * proves that an object is absent (docs/explain/life-of-a-file.md §1); another 404 is an outage.
 */
export interface HotTier extends Disposable {
  beginUpload(key: string, mimeType: string): Promise<string>
  presignPart(part: PartUrl): Promise<string>
  presignObject(object: ObjectUrl): Promise<string>
  /** Whether the store keeps the first of several objects under a key; tested once per process. */
  canPutOnce(): Promise<boolean>
  /** Null: no such upload. */
  listParts(key: string, uploadId: string): Promise<UploadedPart[] | null>
  /**
   * Sends a part while its bytes are read. Returns its ETag; null: no such upload. The store keeps nothing of a stream
   * that fails. Errors of the stream pass unchanged.
   */
  putPart(place: PartPlace, body: BytesOnce, signal: AbortSignal): Promise<string | null>
  /** Copies bytes to a part inside the store. Returns its ETag; null: no such upload or object. */
  copyPart(
    place: PartPlace,
    object: { from: string; range: { start: number; end: number } },
    signal: AbortSignal,
  ): Promise<string | null>
  /** The part as the store has it now. Null: no such part or upload. */
  findPart(place: PartPlace): Promise<UploadedPart | null>
  /** One attempt, limited only by `signal`. */
  complete(key: string, uploadId: string, parts: UploadedPart[], signal: AbortSignal): Promise<CompletionAnswer>
  /**
   * Creates an object from bytes in memory, unless one exists. The size of an existing object shows its origin. The
   * store verifies the SHA-256 of the bytes.
   */
  putWhole(key: string, mimeType: string, bytes: Bytes): Promise<'made' | 'there'>
  /** The object exists only after the complete body was read. Errors of `body` pass unchanged. */
  store(key: string, object: NewObject, signal: AbortSignal): Promise<void>
  /** Sends an object while its bytes are read, in one PUT. The store keeps nothing of a stream that fails. */
  putStream(key: string, mimeType: string, body: BytesOnce, signal: AbortSignal): Promise<void>
  /** Copies an object inside the store. False: no such object. */
  copy(
    key: string,
    object: { from: string; sizeBytes: number; mimeType: string },
    signal: AbortSignal,
  ): Promise<boolean>
  /** Null: no such object. A size other than `sizeBytes`, or one without ETag, is verified by the bucket's list. */
  head(key: string, wanted?: { sizeBytes?: number; signal?: AbortSignal }): Promise<number | null>
  /** Whether the ETags of such objects are MD5 digests; tests this with a new object. */
  hasMd5ETags(form: 'whole' | 'parts', signal: AbortSignal): Promise<boolean>
  /** Empty for an object that does not exist. */
  digests(key: string, signal: AbortSignal): Promise<StoredDigests>
  /** Null: no such object. */
  open(key: string, wanted: WantedBytes | undefined, signal: AbortSignal): Promise<Readable | null>
  presignDownload(download: DownloadUrl): Promise<string>
  remove(key: string, signal?: AbortSignal): Promise<void>
  /** Aborts all uploads of exactly this key. */
  abortUploads(key: string): Promise<void>
  /** `thoroughly`: lists the bucket, because only the store itself can do that. */
  health(how?: 'thoroughly'): Promise<void>
}

/** Does not contact the store yet. */
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
          if (next !== undefined && next === marker)
            throw unavailable(malformed('repeats the marker of the page before'))
          marker = next
        } while (marker)
      } catch (error) {
        if (!isNamed(error, 'NoSuchUpload')) throw error
        await health('thoroughly')
        return null
      }
      return parts
    },

    putStream: (key, mimeType, body, signal) => pourObject(calls, { key, mimeType }, body, signal),
    putPart: (place, body, signal) => pourPart(calls, place, body, signal),
    copyPart: (place, { from, range }, signal) =>
      copyToPart(calls, place, { source: `/${config.s3Bucket}/${from}`, range }, signal),
    findPart: (place) => findPart(calls, place),

    async complete(key, uploadId, parts, signal) {
      // Without If-None-Match an old upload could replace the bytes after the confirm.
      const headers = { 'content-type': 'application/xml', 'if-none-match': '*' }
      const request = { method: 'POST', key, query: { uploadId }, headers, body: completionOf(parts) } as const
      try {
        await askOnce('CompleteMultipartUpload', request, { read: documentOf('CompleteMultipartUploadResult'), signal })
        return 'answered'
      } catch (error) {
        if (isNamed(error, 'InvalidPart') || isNamed(error, 'InvalidPartOrder')) return 'refused'
        // NoSuchUpload, 412, and 409: the object may exist.
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
          // A page of a proxy also has a size, and may have an ETag.
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
  /** A `now()` of the database, so the clock of the process does not matter. */
  signedAt: Date
}

export interface ObjectUrl {
  key: string
  mimeType: string
  sizeBytes: number
  expiresSeconds: number
  signedAt: Date
}

export interface DownloadUrl {
  key: string
  mimeType: string
  /** The complete Content-Disposition header. */
  disposition: string
  expiresSeconds: number
  /** The `now()` of the query that read the file's row. */
  signedAt: Date
}

/** URLs at the address that clients use. */
export function createPresigner(config: HotTierConfig, credentials: () => Promise<Credentials>) {
  const { s3Region: region, s3Bucket: bucket, s3ForcePathStyle: forcePathStyle } = config
  const endpoint = config.s3PublicEndpoint ?? config.s3Endpoint
  const { origin, host, pathOf } = bucketAddress({ endpoint, region, bucket, forcePathStyle })
  const signer = createSigner(region)

  return {
    /** Content-Type and Content-Length are signed, so the store refuses others. */
    async part(part: PartUrl): Promise<string> {
      const headers = { host, 'content-type': part.mimeType, 'content-length': String(part.sizeBytes) }
      const query = { partNumber: String(part.partNumber), uploadId: part.uploadId, 'x-id': 'UploadPart' }
      const request = { method: 'PUT', path: pathOf(part.key), query, headers }
      return origin + signer.presign(request, await credentials(), part.signedAt, part.expiresSeconds)
    },

    /** A PUT of a new object. If-None-Match is signed too. */
    async object({ key, mimeType, sizeBytes, expiresSeconds, signedAt }: ObjectUrl): Promise<string> {
      const signed = { 'content-type': mimeType, 'content-length': String(sizeBytes), 'if-none-match': '*' }
      const request = { method: 'PUT', path: pathOf(key), query: { 'x-id': 'PutObject' }, headers: { host, ...signed } }
      return origin + signer.presign(request, await credentials(), signedAt, expiresSeconds)
    },

    /** The response has the file's type and disposition. */
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

/** Signatures have a precision of seconds. */
export function expiryOf(signedAt: Date, lifetimeSeconds: number): Date {
  return new Date((Math.floor(signedAt.getTime() / 1000) + lifetimeSeconds) * 1000)
}
