import type { OutgoingHttpHeaders } from 'node:http'
import type { Readable } from 'node:stream'
import type { Networks } from '@tideport/file-lifecycle/copies/networks'
import { type OpenedBytes, openBytes } from '@tideport/file-lifecycle/copies/open-bytes'
import type { FileCopies } from '@tideport/file-lifecycle/state/file-copies'
import type { FilesDb } from '@tideport/file-lifecycle/state/tables'
import type { HotTier } from '@tideport/hot-tier/hot-tier'
import type { RouteInput } from '@tideport/service-kit/http/route'
import { AppError } from '@tideport/service-kit/process/app-error'
import type { Log } from '@tideport/service-kit/telemetry/logger'
import type { ByteRange } from '@tideport/storage-network/storage-network'
import type { Kysely } from 'kysely'
import { planAnswer, type Representation } from './conditional-request.ts'
import { contentHeaders } from './content-headers.ts'
import { pipeExactly } from './pipe-exactly.ts'

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
