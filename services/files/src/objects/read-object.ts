import type { IncomingHttpHeaders } from 'node:http'
import { objectContentsApi, objectHeader } from '@tideport/contracts/internal/object-contents'
import type { ObjectView } from '@tideport/contracts/internal/objects'
import type { FileRow } from '@tideport/file-lifecycle/state/tables'
import { rangeOfPart } from '@tideport/file-lifecycle/upload/part-sizes'
import { serve } from '@tideport/service-kit/http/route'
import { AppError } from '@tideport/service-kit/process/app-error'
import type { ByteRange } from '@tideport/storage-network/storage-network'
import { getBucket, missing } from '../buckets/find-bucket.ts'
import type { TakeBytes } from '../calls/key-byte-quota.ts'
import { hasBytes } from '../downloads/download-target.ts'
import { type Exchange, planAnswer, type SendDeps, sendOpened } from '../downloads/send-file.ts'
import { findKey } from '../lookups/find-file.ts'
import { changed, isTagIn } from './conditions.ts'
import { findFolder } from './folder-objects.ts'
import { assertKeyWithin } from './key-limits.ts'
import { toFolderObject, toObject } from './object-view.ts'

interface Deps extends SendDeps {
  takeBytes: TakeBytes
}

/** The door turns the description in the header into headers of S3. */
export function readObjectRoute(deps: Deps) {
  return serve(objectContentsApi.readObject, async ({ principal, params, query, request, reply }) => {
    const vault = await getBucket(deps.db, principal, params.slug)
    assertKeyWithin(principal, query.key, 'read')
    const found = await findKey(deps.db, vault.id, query.key)
    if (found === null) {
      const folder = await findFolder(deps.db, vault, query.key)
      if (folder === null) throw missing('key')
      return sendFolder(toFolderObject(folder), { request, reply })
    }
    const { file, seenAt } = found
    if (isStale(request.headers, file)) throw changed(principal, file)
    const answer = planRead(request.headers, file, query.partNumber)
    const headers = { ...answer.headers, ...describing(toObject(file)) }
    if (answer.status === 304) return reply.code(304).headers(headers).send()
    if (request.method === 'HEAD') return reply.code(answer.status).headers(headers).send()
    if (!hasBytes({ ...file, seenAt })) throw new AppError('content_lost', 'The content of this file is lost')
    await deps.takeBytes(principal, Number(answer.headers['content-length']))
    return await sendOpened(deps, found, { status: answer.status, range: answer.range, headers }, { request, reply })
  })
}

function describing(object: ObjectView): Record<string, string> {
  return {
    etag: `"${object.etag}"`,
    'last-modified': new Date(object.lastModified).toUTCString(),
    'content-type': 'application/octet-stream',
    'accept-ranges': 'bytes',
    [objectHeader]: Buffer.from(JSON.stringify(object)).toString('base64url'),
  }
}

function sendFolder(object: ObjectView, { request, reply }: Exchange) {
  const headers = { ...describing(object), 'content-length': '0' }
  const plan = planAnswer({ method: 'GET', headers: request.headers }, representationOf(object))
  return reply
    .code(plan.status === 304 ? 304 : 200)
    .headers(headers)
    .send()
}

const representationOf = ({
  etag,
  sizeBytes,
  lastModified,
}: Pick<ObjectView, 'etag' | 'sizeBytes' | 'lastModified'>) => ({
  ...{ etag: `"${etag}"`, sizeBytes },
  lastModified: new Date(lastModified),
})

/** Whether `If-Match`, or without it `If-Unmodified-Since`, fails. */
export function isStale(
  headers: Pick<IncomingHttpHeaders, 'if-match' | 'if-unmodified-since'>,
  file: FileRow,
): boolean {
  const { 'if-match': ifMatch, 'if-unmodified-since': since } = headers
  if (ifMatch !== undefined) return !isTagIn(ifMatch, file)
  return secondsOf(file.confirmedAt ?? file.createdAt) > Date.parse(since ?? '') / 1000
}

const secondsOf = (at: Date) => Math.floor(at.getTime() / 1000)

interface ReadAnswer {
  status: 200 | 206 | 304
  range?: ByteRange
  headers: Record<string, string>
}

/** HEAD has ranges too. Throws 416. */
function planRead(headers: IncomingHttpHeaders, file: FileRow, partNumber: number | undefined): ReadAnswer {
  const object = toObject(file)
  const plan = planAnswer({ method: 'GET', headers: unquoted(headers) }, representationOf(object))
  if (plan.status === 304) return { status: 304, headers: {} }
  const range = partNumber === undefined ? plan : { status: 206 as const, range: rangeOf(file, partNumber) }
  if (range.status === 416) throw unsatisfiable()
  if (range.status === 200) return { status: 200, headers: { 'content-length': String(file.sizeBytes) } }
  const { start, end } = range.range
  const lengths = { 'content-length': String(end - start + 1) }
  if (end < start) return { status: 206, headers: lengths }
  return { ...range, headers: { ...lengths, 'content-range': `bytes ${start}-${end}/${file.sizeBytes}` } }
}

/** Clients of S3 send tags without quotation marks too. */
function unquoted(headers: IncomingHttpHeaders): IncomingHttpHeaders {
  const quote = (tag: string) => (tag === '*' || tag.includes('"') ? tag : `"${tag}"`)
  const { 'if-none-match': ifNoneMatch } = headers
  return ifNoneMatch === undefined
    ? headers
    : {
        ...headers,
        'if-none-match': ifNoneMatch
          .split(',')
          .map((tag) => quote(tag.trim()))
          .join(','),
      }
}

function rangeOf(file: FileRow, partNumber: number): ByteRange {
  const part = rangeOfPart(file, partNumber)
  if (part === null) throw unsatisfiable()
  return { start: part.start, end: part.end - 1 }
}

const unsatisfiable = () => new AppError('range_not_satisfiable', 'The range is outside the file')
