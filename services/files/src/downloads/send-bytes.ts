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
import { contentHeaders } from './download-target.ts'

/** The request to answer, and its answer. */
export type Exchange = Pick<RouteInput, 'request' | 'reply'>
type Reply = Exchange['reply']

export interface SendDeps {
  /** Where the bytes are for this request, which has a slot for as long as they are open. */
  sourcesFor(exchange: Exchange): { hotTier: HotTier; networks: Networks }
  db: Kysely<FilesDb>
  log: Log
  /** Counts an answer with bytes by where they come from. */
  noteRead(source: string): void
}

export interface BytesAnswer {
  found: FileCopies
  /** What the strong ETag holds: an id that names these bytes for good. */
  entityId: string
  cacheControl: string
  /** `attachment`: to be saved, also where it could be shown. */
  disposition?: 'attachment' | undefined
  /** Called with how many bytes are to be sent, and from which on, before they are opened. */
  beforehand?: (lengthBytes: number, startByte: number) => Promise<void>
}

/**
 * Answers a GET or HEAD with a confirmed file's bytes, wherever they are: conditions, single ranges, safe headers
 * (docs/api.md §4). Throws `content_lost` when there are none. HEAD opens nothing.
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
  const plan = planAnswer(request, representation)
  if (plan.status === 304) return reply.code(304).headers(validators).send()
  if (plan.status === 416) {
    reply.header('content-range', `bytes */${file.sizeBytes}`)
    throw new AppError('range_not_satisfiable', 'The range lies outside the file')
  }
  const range = plan.status === 206 ? plan.range : undefined
  const lengthBytes = range ? range.end - range.start + 1 : file.sizeBytes
  const headers = {
    ...contentHeaders(file, disposition),
    ...validators,
    'accept-ranges': 'bytes',
    'content-length': String(lengthBytes),
    ...(range && { 'content-range': `bytes ${range.start}-${range.end}/${file.sizeBytes}` }),
  }
  if (request.method === 'HEAD') return reply.code(200).headers(headers).send()
  await beforehand?.(lengthBytes, range?.start ?? 0)
  const startedAt = performance.now()
  const { bytes, source } = await openForClient(deps, found, range, { request, reply })
  deps.noteRead(source)
  reply.header('server-timing', `open;desc="${source}";dur=${(performance.now() - startedAt).toFixed(1)}`)
  return await stream(deps.log, { fileId: file.id, body: bytes, lengthBytes }, reply.code(plan.status).headers(headers))
}

/**
 * Opening ends with the client's connection, not with the process's stop: a download under way may finish. Who has left
 * before is not heard leaving.
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

const clientGone = (cause?: unknown) => new AppError('unavailable', 'The client has gone', { cause })

/** Past Fastify, which answers an error of a stream that gave nothing yet under the headers of the file. */
async function stream(
  log: Log,
  { fileId, body, lengthBytes }: { fileId: string; body: Readable; lengthBytes: number },
  reply: Reply,
): Promise<Reply> {
  reply.hijack()
  reply.raw.writeHead(reply.statusCode, reply.getHeaders() as OutgoingHttpHeaders)
  await pipeExactly(body, lengthBytes, reply.raw).catch((error: unknown) =>
    log.error({ err: error, fileId }, 'body cut'),
  )
  return reply
}

/** What is being read. `etag` is strong and quoted: it names bytes that never change. */
export interface Representation {
  etag: string
  sizeBytes: number
  lastModified: Date
}

/** What to answer (RFC 9110 §13, §14): all of it, one range, nothing new, or that the range lies outside. */
export type AnswerPlan = { status: 200 } | { status: 206; range: ByteRange } | { status: 304 } | { status: 416 }

/** Several ranges and unreadable ranges count as none; so does any range of a HEAD or of an empty file. */
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

function isNotModified(headers: IncomingHttpHeaders, { etag, lastModified }: Representation): boolean {
  const ifNoneMatch = headers['if-none-match']
  if (ifNoneMatch !== undefined) return isKnown(etag, ifNoneMatch)
  const since = Date.parse(headers['if-modified-since'] ?? '')
  return wholeSeconds(lastModified) <= since
}

/** If-Range compares strongly, and a date exactly. */
function isRangeWanted(headers: IncomingHttpHeaders, { etag, lastModified }: Representation): boolean {
  const ifRange = headers['if-range']
  if (typeof ifRange !== 'string') return true
  return ifRange === etag || Date.parse(ifRange) === wholeSeconds(lastModified)
}

function wholeSeconds(date: Date): number {
  return Math.floor(date.getTime() / 1000) * 1000
}

/** By hand, because range-parser takes a suffix longer than the file as unsatisfiable; it means the whole file. */
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
 * Gives a reader a body of this length, and ends the answer. Any failure, and a body that is too short or too long,
 * destroys the connection, so a truncated file never looks complete. Resolves also when the reader has gone, before or
 * meanwhile; then nothing more is read for it. Throws what is not the reader's doing.
 */
export async function pipeExactly(body: Readable, lengthBytes: number, reader: Writable): Promise<void> {
  // A body that begins to flow without a reader flows to its end, and `pipeline` leaves it to that.
  if (reader.destroyed) return void body.destroy()
  let leftBytes = lengthBytes
  body.on('data', (chunk: Buffer) => {
    leftBytes -= chunk.length
    if (leftBytes < 0) reader.destroy()
  })
  const failure = await pipeline(body, reader, { end: false }).catch((error: unknown) => error)
  if (leftBytes < 0) throw new Error('There are more bytes than the file has')
  // What fails after the reader has gone failed because of that.
  if (reader.destroyed) return
  if (failure === undefined && leftBytes === 0) return void reader.end()
  reader.destroy()
  throw failure ?? new Error(`The last ${leftBytes} bytes are missing`)
}
