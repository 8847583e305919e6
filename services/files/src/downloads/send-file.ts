import type { IncomingHttpHeaders, OutgoingHttpHeaders } from 'node:http'
import type { Readable, Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { Networks } from '@tideport/file-lifecycle/copies/networks'
import { type OpenedBytes, openBytes } from '@tideport/file-lifecycle/copies/open-bytes'
import type { FileCopies } from '@tideport/file-lifecycle/state/file-copies'
import type { FilesDb } from '@tideport/file-lifecycle/state/tables'
import type { HotTier } from '@tideport/hot-tier/hot-tier'
import { isKnown } from '@tideport/service-kit/http/entity-tag'
import type { RouteInput } from '@tideport/service-kit/http/route'
import { AppError } from '@tideport/service-kit/process/app-error'
import type { Log } from '@tideport/service-kit/telemetry/logger'
import type { ByteRange } from '@tideport/storage-network/storage-network'
import type { Kysely } from 'kysely'
import { isMatched } from '../files/conditions.ts'
import { preconditionFailed } from '../files/file-fields.ts'
import { contentHeaders } from './download-target.ts'
import { reprDigestOf } from './repr-digest.ts'

export type Exchange = Pick<RouteInput, 'request' | 'reply'>
type Reply = Exchange['reply']

export interface SendDeps {
  /** Both tiers. They keep a slot for this request while bytes are open. */
  sourcesFor(exchange: Exchange): { hotTier: HotTier; networks: Networks }
  db: Kysely<FilesDb>
  log: Log
  /** Counts a response by its source. */
  noteRead(source: string): void
}

export interface BytesAnswer {
  found: FileCopies
  /** Identifies these bytes permanently in the strong ETag. */
  entityId: string
  cacheControl: string
  /** Unset: determined by the type. */
  disposition?: 'attachment' | undefined
  /** Called before the bytes are opened. */
  beforehand?: (lengthBytes: number, startByte: number) => Promise<void>
}

/**
 * Sends a confirmed file's bytes with conditions, single ranges, and safe headers (docs/reference/http/links.md). HEAD
 * opens nothing. Throws `content_lost`.
 */
export async function sendBytes(
  deps: SendDeps,
  { found, entityId, cacheControl, disposition, beforehand }: BytesAnswer,
  { request, reply }: Exchange,
): Promise<Reply> {
  const { file } = found
  const representation: Representation = {
    etag: `"${entityId}"`,
    sizeBytes: file.sizeBytes,
    lastModified: file.confirmedAt ?? file.createdAt,
  }
  const validators = {
    etag: representation.etag,
    'last-modified': representation.lastModified.toUTCString(),
    'cache-control': cacheControl,
  }
  if (isChanged(request.headers, representation)) throw preconditionFailed(representation.etag)
  const plan = planAnswer(request, representation)
  if (plan.status === 304) return reply.code(304).headers(validators).send()
  if (plan.status === 416) {
    reply.header('content-range', `bytes */${file.sizeBytes}`)
    throw new AppError('range_not_satisfiable', 'The range is outside the file')
  }
  const range = plan.status === 206 ? plan.range : undefined
  const lengthBytes = range ? range.end - range.start + 1 : file.sizeBytes
  const headers = {
    ...contentHeaders(file, disposition),
    ...validators,
    'accept-ranges': 'bytes',
    'content-length': String(lengthBytes),
    ...(range && { 'content-range': `bytes ${range.start}-${range.end}/${file.sizeBytes}` }),
    ...reprDigest(file, request),
  }
  if (request.method === 'HEAD') return reply.code(200).headers(headers).send()
  await beforehand?.(lengthBytes, range?.start ?? 0)
  return await sendOpened(deps, found, { status: plan.status, range, headers }, { request, reply })
}

interface Answer {
  status: number
  range: ByteRange | undefined
  headers: Record<string, string>
}

/** Opens the bytes, then sends them. An error response has none of the headers. */
export async function sendOpened(
  deps: SendDeps,
  found: FileCopies,
  { status, range, headers }: Answer,
  { request, reply }: Exchange,
): Promise<Reply> {
  const startedAt = performance.now()
  const { bytes, source } = await openForClient(deps, found, range, { request, reply })
  deps.noteRead(source)
  reply.header('server-timing', `open;desc="${source}";dur=${(performance.now() - startedAt).toFixed(1)}`)
  const lengthBytes = range ? range.end - range.start + 1 : found.file.sizeBytes
  return await stream(
    deps.log,
    { fileId: found.file.id, body: bytes, lengthBytes },
    reply.code(status).headers(headers),
  )
}

function reprDigest(file: FileCopies['file'], { headers }: Exchange['request']): { 'repr-digest'?: string } {
  const digest = reprDigestOf(file, headers['want-repr-digest'])
  return digest === undefined ? {} : { 'repr-digest': digest }
}

/**
 * Stops opening when the client disconnects, but not when the process stops, so downloads may finish. A client that
 * disconnected earlier emits no event.
 */
async function openForClient(
  deps: SendDeps,
  found: FileCopies,
  range: ByteRange | undefined,
  exchange: Exchange,
): Promise<OpenedBytes> {
  const { raw } = exchange.reply
  const { request } = exchange
  if (request.raw.socket.destroyed) throw clientGone()
  const gone = new AbortController()
  const leave = () => gone.abort()
  raw.once('close', leave)
  try {
    return await openBytes({ ...deps, ...deps.sourcesFor(exchange) }, found, range, gone.signal)
  } catch (error) {
    throw gone.signal.aborted ? clientGone(error) : error
  } finally {
    raw.off('close', leave)
  }
}

const clientGone = (cause?: unknown) => new AppError('unavailable', 'The client closed the connection', { cause })

/**
 * Bypasses Fastify, which would send the file's headers with an error response if the stream fails before the first
 * byte.
 */
async function stream(
  log: Log,
  { fileId, body, lengthBytes }: { fileId: string; body: Readable; lengthBytes: number },
  reply: Reply,
): Promise<Reply> {
  reply.hijack()
  reply.raw.writeHead(reply.statusCode, reply.getHeaders() as OutgoingHttpHeaders)
  await pipeExactly(body, lengthBytes, reply.raw).catch((error: unknown) =>
    log.error({ err: error, fileId }, 'body cut off'),
  )
  return reply
}

/** `etag` is strong and quoted. */
export interface Representation {
  etag: string
  sizeBytes: number
  lastModified: Date
}

/** RFC 9110 §13 and §14. */
export type AnswerPlan = { status: 200 } | { status: 206; range: ByteRange } | { status: 304 } | { status: 416 }

/** Ignores multiple or invalid ranges, and ranges of HEAD requests and empty files. */
export function planAnswer(
  { method, headers }: { method: string; headers: IncomingHttpHeaders },
  representation: Representation,
): AnswerPlan {
  if (isNotModified(headers, representation)) return { status: 304 }
  if (method !== 'GET' || headers.range === undefined || !isRangeWanted(headers, representation)) return { status: 200 }
  const range = parseRange(headers.range, representation.sizeBytes)
  if (range === 'ignored') return { status: 200 }
  return range === 'unsatisfiable' ? { status: 416 } : { status: 206, range }
}

/** Whether `If-Match`, or without it `If-Unmodified-Since`, fails. */
export function isChanged(headers: IncomingHttpHeaders, { etag, lastModified }: Representation): boolean {
  const ifMatch = headers['if-match']
  if (ifMatch !== undefined) return !isMatched(etag, ifMatch)
  const since = Date.parse(headers['if-unmodified-since'] ?? '')
  return wholeSeconds(lastModified) > since
}

function isNotModified(headers: IncomingHttpHeaders, { etag, lastModified }: Representation): boolean {
  const ifNoneMatch = headers['if-none-match']
  if (ifNoneMatch !== undefined) return isKnown(etag, ifNoneMatch)
  const since = Date.parse(headers['if-modified-since'] ?? '')
  return wholeSeconds(lastModified) <= since
}

/** If-Range uses the strong comparison, and compares dates exactly. */
function isRangeWanted(headers: IncomingHttpHeaders, { etag, lastModified }: Representation): boolean {
  const ifRange = headers['if-range']
  if (typeof ifRange !== 'string') return true
  return ifRange === etag || Date.parse(ifRange) === wholeSeconds(lastModified)
}

function wholeSeconds(date: Date): number {
  return Math.floor(date.getTime() / 1000) * 1000
}

/** range-parser rejects a suffix longer than the file, which means the complete file. */
function parseRange(header: string, sizeBytes: number): ByteRange | 'ignored' | 'unsatisfiable' {
  if (sizeBytes === 0) return 'ignored'
  const [, first, last, suffix] = /^bytes=\s*(?:(\d+)-(\d*)|-(\d+))\s*$/i.exec(header) ?? []
  if (first === undefined && suffix === undefined) return 'ignored'
  if (first !== undefined && last && Number(last) < Number(first)) return 'ignored'
  const start = first === undefined ? Math.max(0, sizeBytes - Number(suffix)) : Number(first)
  const end = Math.min(last ? Number(last) : sizeBytes - 1, sizeBytes - 1)
  return start < sizeBytes ? { start, end } : 'unsatisfiable'
}

/**
 * Sends a body of this length. Destroys the connection after a failure or with a wrong length, so a truncated file
 * never looks complete. Resolves when the client has disconnected. Throws other errors.
 */
export async function pipeExactly(body: Readable, lengthBytes: number, reader: Writable): Promise<void> {
  // `pipeline` would read a body to its end even without a reader.
  if (reader.destroyed) return void body.destroy()
  let leftBytes = lengthBytes
  body.on('data', (chunk: Buffer) => {
    leftBytes -= chunk.length
    if (leftBytes < 0) reader.destroy()
  })
  const failure = await pipeline(body, reader, { end: false }).catch((error: unknown) => error)
  if (leftBytes < 0) throw new Error('The body has more bytes than the file')
  // The client disconnected, which caused the failure.
  if (reader.destroyed) return
  if (failure === undefined && leftBytes === 0) return void reader.end()
  reader.destroy()
  throw failure ?? new Error(`The last ${leftBytes} bytes are missing`)
}
