import type { IncomingHttpHeaders } from 'node:http'
import { contentLengthHeader } from '@tideport/contracts/internal/api'
import type {
  BucketView,
  CorsRule,
  Files,
  NewObject,
  ObjectView,
  Payload,
  Place,
  ReadConditions,
  Reading,
  Source,
  Upload,
} from '@tideport/s3-door/files-port'
import type { AskFiles, Question } from './ask-files.ts'

/** Carries the description of an object next to its bytes, as base64url of JSON. */
const objectHeader = 'x-tideport-object'

/** The files service as the S3 door needs it, by its internal endpoints. */
export function createFilesClient(ask: AskFiles): Files {
  return { ...bucketCalls(ask), ...objectCalls(ask), ...writeCalls(ask), ...uploadCalls(ask) }
}

function bucketCalls({ json }: AskFiles) {
  const of = (bucket: string) => ({ path: '/internal/buckets/:slug', params: { slug: bucket } })
  return {
    listBuckets: (query) => json({ method: 'GET', path: '/internal/buckets', query }),
    createBucket: (slug, visibility) => json({ method: 'POST', path: '/internal/buckets', body: { slug, visibility } }),
    findBucket: (bucket) => json<BucketView & { cors: CorsRule[] | null }>({ method: 'GET', ...of(bucket) }),
    deleteBucket: (bucket) => json({ method: 'DELETE', ...of(bucket) }),
    setCors: (bucket, rules) =>
      json({ ...of(bucket), method: 'PUT', path: '/internal/buckets/:slug/cors', body: { rules } }),
    async findCors(bucket) {
      const question = { method: 'GET', path: '/internal/cors/:slug', params: { slug: bucket } } as const
      return (await json<{ rules: CorsRule[] }>(question)).rules
    },
  } satisfies Partial<Files>
}

function objectCalls({ json, head, pass }: AskFiles) {
  return {
    readObject: (place, { method, partNumber, range, conditions }, begin) =>
      pass(
        { ...read(place, partNumber), method, headers: { range, ...conditionHeaders(conditions) } },
        (status, headers) => begin(toReading(status, headers)),
      ),
    describeObject: async (place) => objectOf(await head({ ...of(place), method: 'HEAD' })) as ObjectView,
    deleteObject: (place, { ifMatch, lastModified, sizeBytes }) => {
      const { query, ...asked } = of(place)
      return json({ ...asked, query: { ...query, ifMatch, lastModified, sizeBytes }, method: 'DELETE' })
    },
    async deleteObjects(bucket, objects) {
      const path = '/internal/objects/:slug/delete'
      const question = { method: 'POST', path, params: { slug: bucket }, body: { objects } } as const
      return (await json<{ results: Awaited<ReturnType<Files['deleteObjects']>> }>(question)).results
    },
    listObjects: (bucket, query) =>
      json({ method: 'GET', path: '/internal/objects/:slug/list', params: { slug: bucket }, query: { ...query } }),
    async restoreObject(place, days) {
      type Restored = { outcome: Awaited<ReturnType<Files['restoreObject']>> }
      return (await json<Restored>({ ...of(place, '/restore'), method: 'POST', body: { days } })).outcome
    },
    async findTags(place) {
      return (await json<{ tags: Record<string, string> }>({ ...of(place, '/tags'), method: 'GET' })).tags
    },
    setTags: (place, tags) => json({ ...of(place, '/tags'), method: 'PUT', body: { tags } }),
  } satisfies Partial<Files>
}

function writeCalls({ json, send }: AskFiles) {
  return {
    async putObject(place, object, payload) {
      const question = {
        ...of(place),
        method: 'PUT',
        headers: payloadHeaders({ ...object, ...described(payload) }, payload),
      }
      return (await send<{ object: ObjectView }>(question as Question, sending(payload))).object
    },
    async copyObject(place, copy) {
      const question = {
        ...of(place, '/copy'),
        method: 'POST',
        body: { ...copy, source: fromSource(copy.source) },
        isLong: true,
      } as const
      return (await json<{ object: ObjectView }>(question)).object
    },
  } satisfies Partial<Files>
}

function uploadCalls({ json, send }: AskFiles) {
  return {
    beginUpload: (place, object) => json({ ...ofUploads(place), method: 'POST', body: { ...object, digests: {} } }),
    putPart: (upload, partNumber, payload) => {
      const question = {
        ...ofPart(upload, partNumber),
        method: 'PUT',
        headers: payloadHeaders(described(payload), payload),
      }
      return send(question as Question, sending(payload))
    },
    copyPart: (upload, partNumber, copy) =>
      json({
        ...ofPart(upload, partNumber, '/copy'),
        method: 'POST',
        body: { ...copy, source: fromSource(copy.source) },
        isLong: true,
      }),
    listParts: (upload, query) => {
      const asked = ofUpload(upload)
      return json({ ...asked, method: 'GET', query: { ...asked.query, ...query } })
    },
    async completeUpload(upload, completion) {
      const question = {
        ...ofUpload(upload, '/complete'),
        method: 'POST',
        body: { ...completion, sizeBytes: completion.sizeBytes ?? undefined },
        isLong: true,
      } as const
      return (await json<{ object: ObjectView }>(question)).object
    },
    abortUpload: (upload, { ifMatchInitiatedTime }) => {
      const asked = ofUpload(upload)
      return json({ ...asked, method: 'DELETE', query: { ...asked.query, initiated: ifMatchInitiatedTime } })
    },
    listUploads: (bucket, query) =>
      json({ method: 'GET', path: '/internal/object-uploads/:slug', params: { slug: bucket }, query: { ...query } }),
  } satisfies Partial<Files>
}

function of({ bucket, key }: Place, below = '') {
  return { path: `/internal/objects/:slug${below}`, params: { slug: bucket }, query: { key } }
}

function read(place: Place, partNumber: number | undefined) {
  const asked = of(place)
  return { ...asked, query: { ...asked.query, partNumber } }
}

function ofUploads({ bucket, key }: Place) {
  return { path: '/internal/object-uploads/:slug', params: { slug: bucket }, query: { key } }
}

function ofUpload({ bucket, key, uploadId }: Upload, below = '') {
  const path = `/internal/object-uploads/:slug/:uploadId${below}`
  return { path, params: { slug: bucket, uploadId }, query: { key } }
}

function ofPart(upload: Upload, partNumber: number, below = '') {
  const { params, query } = ofUpload(upload)
  const path = `/internal/object-uploads/:slug/:uploadId/parts/:partNumber${below}`
  return { path, params: { ...params, partNumber: String(partNumber) }, query }
}

function conditionHeaders(conditions: ReadConditions) {
  return {
    'if-match': conditions.ifMatch,
    'if-none-match': conditions.ifNoneMatch,
    'if-modified-since': conditions.ifModifiedSince,
    'if-unmodified-since': conditions.ifUnmodifiedSince,
  }
}

function described({ digests, wanted, contentMd5, contentSha256, trailer }: Payload) {
  return { digests, wanted, contentMd5, contentSha256, hasTrailer: trailer !== null }
}

function payloadHeaders(description: Partial<NewObject>, { sizeBytes, trailer }: Payload): Record<string, string> {
  return {
    [objectHeader]: Buffer.from(JSON.stringify(description)).toString('base64url'),
    [contentLengthHeader]: String(sizeBytes),
    'content-type': 'application/octet-stream',
    ...(trailer === null && { 'content-length': String(sizeBytes) }),
  }
}

/** The values of the trailer follow the bytes, as JSON. */
function sending({ bytes, sizeBytes, trailer }: Payload) {
  const end = trailer === null ? null : () => Buffer.from(JSON.stringify({ digests: trailer() }))
  return { bytes, sizeBytes, end }
}

function toReading(status: number, headers: IncomingHttpHeaders): Reading {
  return {
    status,
    object: objectOf(headers),
    contentLength: headers['content-length'],
    contentRange: headers['content-range'],
  }
}

function objectOf(headers: IncomingHttpHeaders): ObjectView | null {
  const described = headers[objectHeader]
  return described === undefined ? null : JSON.parse(Buffer.from(String(described), 'base64url').toString())
}

/** Times in JSON are of ISO 8601. */
function fromSource({ bucket, ifModifiedSince, ifUnmodifiedSince, ...source }: Source) {
  const iso = (date: string | undefined) => date && new Date(date).toISOString()
  return { ...source, slug: bucket, ifModifiedSince: iso(ifModifiedSince), ifUnmodifiedSince: iso(ifUnmodifiedSince) }
}
