import type { Algorithm } from './checksums/algorithms.ts'

export type Digests = Partial<Record<Algorithm, string>>
export type DigestType = 'full_object' | 'composite'

export interface ObjectView {
  key: string
  sizeBytes: number
  /** Without quotes. */
  etag: string
  lastModified: string
  mimeType: string
  headers: Record<string, string>
  metadata: Record<string, string>
  tagCount: number
  digests: Digests
  digestType: DigestType | null
  partCount: number | null
  isHot: boolean
  restore: { isOngoing: boolean; until: string | null } | null
}

/** Conditions in the syntax of HTTP, on the ETag and the time of the object that exists. */
export interface WriteConditions {
  ifMatch?: string | undefined
  ifNoneMatch?: string | undefined
}

export interface ReadConditions extends WriteConditions {
  ifModifiedSince?: string | undefined
  ifUnmodifiedSince?: string | undefined
}

export interface Labels {
  mimeType: string
  headers: Record<string, string>
  metadata: Record<string, string>
}

export interface NewObject extends Labels, WriteConditions {
  tags: Record<string, string> | null
  digests: Digests
  wanted: Algorithm[]
}

/** Bytes of a known length, and the values that the client sends after them. */
export interface Payload {
  sizeBytes: number
  digests: Digests
  wanted: Algorithm[]
  /** Base64, of the Content-MD5 header. */
  contentMd5?: string | undefined
  /** SHA-256 of the signature, in hex. */
  contentSha256?: string | undefined
  bytes: AsyncIterable<Buffer>
  /** Values of the trailer, known after the last byte. Null without a trailer. */
  trailer: (() => Digests) | null
}

export interface Place {
  bucket: string
  key: string
}

export interface Source extends Place, ReadConditions {}

export interface Copy extends WriteConditions {
  source: Source
  /** Null: those of the source. */
  replace: Labels | null
  tags: Record<string, string> | null
  wanted: Algorithm[]
}

export interface ListQuery {
  prefix: string
  delimiter: string
  after: string
  limit: number
}

export interface ListedObject {
  key: string
  etag: string
  sizeBytes: number
  lastModified: string
  isHot: boolean
  digests: Digests
  digestType: DigestType | null
}

export type ListEntry = { object: ListedObject } | { prefix: string }

export interface UploadView {
  key: string
  uploadId: string
  initiated: string
  digestAlgorithm: Algorithm | null
  digestType: DigestType | null
}

export interface PartView {
  partNumber: number
  sizeBytes: number
  etag: string
  digests: Digests
  lastModified: string
}

export interface CompletedPart {
  partNumber: number
  etag: string
  digests: Digests
}

export interface Completion extends WriteConditions {
  parts: CompletedPart[]
  digests: Digests
  digestType: DigestType | null
  sizeBytes: number | null
}

export interface CorsRule {
  id?: string | undefined
  allowedOrigins: string[]
  allowedMethods: string[]
  allowedHeaders: string[]
  exposeHeaders: string[]
  maxAgeSeconds: number | null
}

export interface BucketView {
  slug: string
  createdAt: string
  visibility: 'public' | 'private'
}

/** The response of the files service to a read. `object` is null without one, as for 304. */
export interface Reading {
  status: number
  object: ObjectView | null
  contentLength: string | undefined
  contentRange: string | undefined
}

export interface ReadQuery {
  method: 'GET' | 'HEAD'
  partNumber: number | undefined
  range: string | undefined
  conditions: ReadConditions
}

export interface Upload extends Place {
  uploadId: string
}

/**
 * The files service as the door needs it, on behalf of the caller of one request. Every method throws `Refusal`, or the
 * gateway's own error.
 */
export interface Files {
  listBuckets(query: { prefix: string; after: string; limit: number }): Promise<{
    buckets: BucketView[]
    next: string | null
  }>
  createBucket(bucket: string, visibility: 'public' | 'private'): Promise<void>
  findBucket(bucket: string): Promise<BucketView & { cors: CorsRule[] | null }>
  deleteBucket(bucket: string): Promise<void>
  setCors(bucket: string, rules: CorsRule[] | null): Promise<void>
  /** The rules of all buckets with this name: a preflight has no credential. */
  findCors(bucket: string): Promise<CorsRule[]>

  /** Calls `begin` once the response begins, and passes the bytes on to the client with the returned headers. */
  readObject(place: Place, query: ReadQuery, begin: (reading: Reading) => Record<string, string>): Promise<void>
  describeObject(place: Place): Promise<ObjectView>
  putObject(place: Place, object: NewObject, payload: Payload): Promise<ObjectView>
  copyObject(place: Place, copy: Copy): Promise<ObjectView>
  deleteObject(place: Place, conditions: DeleteConditions): Promise<void>
  deleteObjects(bucket: string, objects: DeletedObject[]): Promise<DeleteResult[]>
  listObjects(bucket: string, query: ListQuery): Promise<{ entries: ListEntry[]; next: string | null }>
  restoreObject(place: Place, days: number): Promise<RestoreOutcome>
  findTags(place: Place): Promise<Record<string, string>>
  setTags(place: Place, tags: Record<string, string>): Promise<void>

  beginUpload(
    place: Place,
    object: Omit<NewObject, 'digests'> & { digestAlgorithm: Algorithm | null; digestType: DigestType | null },
  ): Promise<{ uploadId: string }>
  putPart(upload: Upload, partNumber: number, payload: Payload): Promise<{ etag: string; digests: Digests }>
  copyPart(
    upload: Upload,
    partNumber: number,
    copy: { source: Source; range: { start: number; end: number } | null },
  ): Promise<{ etag: string; digests: Digests; lastModified: string }>
  listParts(
    upload: Upload,
    query: { after: number; limit: number },
  ): Promise<{
    parts: PartView[]
    isTruncated: boolean
    digestAlgorithm: Algorithm | null
    digestType: DigestType | null
  }>
  completeUpload(upload: Upload, completion: Completion): Promise<ObjectView>
  abortUpload(upload: Upload, conditions: { ifMatchInitiatedTime?: string | undefined }): Promise<void>
  listUploads(bucket: string, query: UploadsQuery): Promise<UploadsPage>
}

export type RestoreOutcome = 'requested' | 'ongoing' | 'extended' | 'not_cold'

export interface DeleteConditions {
  ifMatch?: string | undefined
  /** In ISO 8601. */
  lastModified?: string | undefined
  sizeBytes?: number | undefined
}

export interface DeletedObject extends DeleteConditions {
  key: string
}

export interface DeleteResult {
  key: string
  code: string | null
  error: string | null
}

export interface UploadsQuery {
  prefix: string
  delimiter: string
  keyMarker: string
  uploadIdMarker: string
  limit: number
}

export interface UploadsPage {
  uploads: UploadView[]
  prefixes: string[]
  isTruncated: boolean
  nextKeyMarker: string | null
  nextUploadIdMarker: string | null
}

/** An error response of the files service. */
export class Refusal extends Error {
  readonly status: number
  readonly code: string
  readonly details: Readonly<Record<string, unknown>>
  readonly retryAfterSeconds: number | undefined

  constructor({ status, code, message, details = {}, retryAfterSeconds, cause }: RefusalFields) {
    super(message, { cause })
    this.name = 'Refusal'
    this.status = status
    this.code = code
    this.details = details
    this.retryAfterSeconds = retryAfterSeconds
  }
}

interface RefusalFields {
  status: number
  code: string
  message: string
  details?: Readonly<Record<string, unknown>> | undefined
  retryAfterSeconds?: number | undefined
  cause?: unknown
}
