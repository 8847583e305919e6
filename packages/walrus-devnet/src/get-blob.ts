import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { Readable, Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { setTimeout as delay } from 'node:timers/promises'
import type { BlobRecord } from './blobs.ts'
import type { Devnet } from './devnet.ts'
import { Refusal } from './refusals.ts'

interface Part {
  start: number
  length: number
}

const SLOW_MS = 20
/** Number of epochs that exceeds every storage period. */
const LIFETIME = 1_000

/** `GET /v1/blobs/{id}`: the complete blob, a range by header, or a range by query, which returns 200. */
export async function getBlob(
  devnet: Devnet,
  record: BlobRecord | null,
  {
    url,
    request,
    answer,
    byQuery = false,
  }: { url: URL; request: IncomingMessage; answer: ServerResponse; byQuery?: boolean },
): Promise<void> {
  if (!byQuery) checkConsistencyQuery(url.searchParams)
  refuse(devnet, record, url)
  if (record === null) throw notFound()
  const { blobId } = record
  const sizeBytes = (await stat(devnet.blobs.pathOf(blobId))).size
  const range = byQuery ? queryRange(url.searchParams) : headerRange(request.headers.range)
  if (range && range.start + range.length > sizeBytes) throw badRange('the range goes beyond the end of the blob')
  const part = range ?? { start: 0, length: sizeBytes }
  const last = part.start + part.length - 1
  const toldBytes = part.length + lieOf(devnet, blobId)
  answer.writeHead(range && !byQuery ? 206 : 200, {
    'content-type': typeOf(request),
    'content-length': toldBytes,
    ...(range && !byQuery && { 'content-range': `bytes ${part.start}-${last}/${sizeBytes}` }),
    'cache-control': 'public, max-age=86400, stale-while-revalidate=3600',
    etag: byQuery ? `${blobId}-${part.start}-${part.length}` : blobId,
    'x-content-type-options': 'nosniff',
    'access-control-allow-origin': '*',
  })
  if (request.method === 'HEAD') return void answer.end()
  await send(devnet, blobId, { ...part, toldBytes }, answer)
}

function refuse({ faults }: Devnet, record: BlobRecord | null, url: URL): void {
  const blobId = record?.blobId ?? undefined
  const happens = (name: Parameters<typeof faults.happens>[0]) => faults.happens(name, blobId)
  if (happens('aggregator_late')) throw notFound()
  // A cache in front of an aggregator uses the complete URL as its key.
  if (url.search === '' && happens('aggregator_stale_cache')) throw notFound()
  if (happens('aggregator_unavailable')) {
    throw Refusal.of('BLOB_UNAVAILABLE', 'the requested blob is currently not retrievable')
  }
  if (happens('aggregator_fails')) throw Refusal.of('INTERNAL', 'an internal error occurred')
  if (happens('aggregator_overloaded')) {
    throw Refusal.plain(429, 'the aggregator is receiving too many requests; please try again later')
  }
  if (happens('aggregator_too_large')) throw Refusal.of('BLOB_TOO_LARGE', 'the blob size exceeds the maximum')
  if (happens('aggregator_blocked')) throw Refusal.of('FORBIDDEN_BLOB', 'the blob is blocked')
  if (happens('aggregator_page')) throw Refusal.plain(200, '<html>We are back soon</html>')
}

function checkConsistencyQuery(query: URLSearchParams): void {
  for (const name of query.keys()) {
    if (name !== 'strict_consistency_check' && name !== 'skip_consistency_check') {
      throw Refusal.plain(400, `Failed to deserialize query string: unknown field \`${name}\``)
    }
  }
  if (query.get('strict_consistency_check') === 'true' && query.get('skip_consistency_check') === 'true') {
    throw Refusal.of('MALFORMED_REQUEST', 'the consistency check options are invalid')
  }
}

function headerRange(header: string | undefined): Part | null {
  if (header === undefined) return null
  const [, start, end] = /^bytes=(\d+)-(\d+)$/.exec(header.trim()) ?? []
  if (start === undefined || Number(start) > Number(end))
    throw badRange('one range with a start and an end is supported')
  return { start: Number(start), length: Number(end) - Number(start) + 1 }
}

function queryRange(query: URLSearchParams): Part {
  const [start, length] = [query.get('start') ?? '', query.get('length') ?? '']
  if (!/^\d+$/.test(start) || !/^[1-9]\d*$/.test(length)) throw badRange('start and length are needed')
  return { start: Number(start), length: Number(length) }
}

function typeOf({ headers: { accept } }: IncomingMessage): string {
  return accept === undefined || accept.includes('*') ? 'application/octet-stream' : accept
}

/** The number of bytes that the response has more or less than the blob. */
function lieOf({ faults }: Devnet, blobId: string): number {
  if (faults.happens('aggregator_shortens', blobId)) return -1
  return faults.happens('aggregator_lengthens', blobId) ? 1 : 0
}

interface Sending extends Part {
  toldBytes: number
}

async function send(devnet: Devnet, blobId: string, sending: Sending, answer: ServerResponse): Promise<void> {
  const { faults, blobs, epochs } = devnet
  if (faults.happens('aggregator_hangs', blobId)) return void answer.flushHeaders()
  const { start, length, toldBytes } = sending
  const isSlow = faults.happens('aggregator_slow', blobId)
  const isOver = faults.happens('aggregator_epoch_ends', blobId)
  const isCut = faults.happens('aggregator_breaks_off', blobId) || isOver
  const flipsAt = faults.happens('aggregator_flips', blobId) ? Math.floor(length / 2) : -1
  let at = 0
  const meddling = new Transform({
    async transform(chunk: Buffer, _, done) {
      const flip = flipsAt - at
      if (flip >= 0 && flip < chunk.length) chunk.writeUInt8(chunk.readUInt8(flip) ^ 1, flip)
      at += chunk.length
      if (isSlow) await delay(SLOW_MS)
      if (isCut && at >= length / 2) {
        if (isOver) await epochs.advance(LIFETIME)
        answer.socket?.resetAndDestroy()
      }
      done(null, chunk)
    },
    flush: (done) => done(null, toldBytes > length ? Buffer.alloc(toldBytes - length) : undefined),
  })
  const end = start + Math.min(length, toldBytes) - 1
  const bytes = end < start ? Readable.from([]) : createReadStream(blobs.pathOf(blobId), { start, end })
  await pipeline(bytes, meddling, answer)
}

const badRange = (message: string) => Refusal.of('INVALID_BYTE_RANGE', message)
const notFound = () =>
  Refusal.of('BLOB_NOT_FOUND', 'the requested blob ID does not exist on Walrus, ensure that it was entered correctly')
