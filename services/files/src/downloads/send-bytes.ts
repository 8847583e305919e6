import type { OutgoingHttpHeaders } from 'node:http'
import { type Readable, Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { Networks } from '@tideport/file-lifecycle/copies/networks'
import { openBytes } from '@tideport/file-lifecycle/copies/open-bytes'
import type { HotTier } from '@tideport/file-lifecycle/hot-tier/hot-tier'
import { withCopies } from '@tideport/file-lifecycle/state/file-copies'
import type { FileRow, FilesDb } from '@tideport/file-lifecycle/state/tables'
import type { RouteInput } from '@tideport/service-kit/http/route'
import { AppError } from '@tideport/service-kit/process/app-error'
import type { Log } from '@tideport/service-kit/telemetry/logger'
import type { ByteRange } from '@tideport/storage-network/storage-network'
import type { Kysely } from 'kysely'
import { planAnswer, type Representation } from './conditional-request.ts'
import { contentHeaders } from './content-headers.ts'

/** The request to answer, and its answer. */
export type Exchange = Pick<RouteInput, 'request' | 'reply'>
type Reply = Exchange['reply']

export interface SendDeps {
  hotTier: HotTier
  db: Kysely<FilesDb>
  networks: Networks
  log: Log
}

export interface BytesAnswer {
  file: FileRow
  /** What the strong ETag holds: an id that names these bytes for good. */
  entityId: string
  cacheControl: string
}

/**
 * Answers a GET or HEAD with a confirmed file's bytes, wherever they are: conditions, single ranges, safe headers
 * (docs/api.md §4). Throws `content_lost` when there are none. HEAD opens nothing.
 */
export async function sendBytes(
  deps: SendDeps,
  { file, entityId, cacheControl }: BytesAnswer,
  { request, reply }: Exchange,
): Promise<Reply> {
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
    ...contentHeaders(file),
    ...validators,
    'accept-ranges': 'bytes',
    'content-length': String(lengthBytes),
    ...(range && { 'content-range': `bytes ${range.start}-${range.end}/${file.sizeBytes}` }),
  }
  if (request.method === 'HEAD') return reply.code(200).headers(headers).send()
  const body = await openForClient(deps, file, range, reply)
  return await stream(deps.log, { file, body, lengthBytes }, reply.code(plan.status).headers(headers))
}

/** The bytes end with the client's connection, not with the process's stop: a download under way may finish. */
async function openForClient(
  deps: SendDeps,
  file: FileRow,
  range: ByteRange | undefined,
  reply: Reply,
): Promise<Readable> {
  const gone = new AbortController()
  reply.raw.once('close', () => gone.abort())
  try {
    return await openBytes(deps, await withCopies(deps.db, file), range, gone.signal)
  } catch (error) {
    if (!gone.signal.aborted) throw error
    throw new AppError('unavailable', 'The client has gone', { cause: error })
  }
}

/**
 * Past Fastify, which answers an error of a stream that gave nothing yet under the headers of the file: any failure,
 * and a body that is too short or too long, destroys the connection, so a truncated file never looks complete.
 */
async function stream(
  log: Log,
  { file, body, lengthBytes }: { file: FileRow; body: Readable; lengthBytes: number },
  reply: Reply,
): Promise<Reply> {
  reply.hijack()
  reply.raw.writeHead(reply.statusCode, reply.getHeaders() as OutgoingHttpHeaders)
  const whole = exactly(lengthBytes)
  // What fails after the client has gone failed because of that.
  let isOurs = false
  const blame = () => (isOurs ||= !reply.raw.destroyed)
  for (const source of [body, whole]) source.once('error', blame)
  try {
    await pipeline(body, whole, reply.raw)
  } catch (error) {
    if (isOurs) log.error({ err: error, fileId: file.id }, 'body cut')
  }
  return reply
}

function exactly(lengthBytes: number): Transform {
  let leftBytes = lengthBytes
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      leftBytes -= chunk.length
      if (leftBytes < 0) return done(new Error('There are more bytes than the file has'))
      done(null, chunk)
    },
    flush(done) {
      done(leftBytes === 0 ? null : new Error(`The last ${leftBytes} bytes are missing`))
    },
  })
}
