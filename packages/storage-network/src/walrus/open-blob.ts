import { Readable } from 'node:stream'
import { NetworkError } from '../errors.ts'
import type { ByteRange } from '../storage-network.ts'
import { UNIXFS_V1_2025 } from '../unixfs/dag-builder.ts'
import { countLeaves } from '../verified/sidecar.ts'
import { type Answer, StreamedContent } from '../verified/streamed-content.ts'
import type { Tree } from '../verified/tree-cache.ts'
import { outOfRange, VerifiedStream } from '../verified/verified-stream.ts'
import { type Opened, openAt } from './aggregator.ts'
import { canComputeBlobIds, computeBlobId } from './blob-id.ts'
import { EndpointError, silenceError } from './failure.ts'
import { treeOf } from './read-tree.ts'
import type { Remembered } from './remembered.ts'
import type { Walrus } from './walrus.ts'

const { leafBytes } = UNIXFS_V1_2025

export interface OpenOptions {
  range: ByteRange | undefined
  signal: AbortSignal
}

/** Opens a copy that a row remembers, or a range of it. @throws NetworkError as `StorageNetwork.open` */
export async function openCopy(
  walrus: Walrus,
  blobId: string,
  remembered: Remembered,
  { range, signal }: OpenOptions,
): Promise<Readable> {
  if (range && !isWithin(range, remembered.sizeBytes)) throw outOfRange()
  return await openVerified(walrus, blobId, await treeOf(walrus, blobId, remembered, signal), { range, signal })
}

/**
 * Opens a blob by a known tree, or by computing its ID from all of it. @throws NetworkError as `StorageNetwork.open`
 */
export async function openAnyCopy(walrus: Walrus, blobId: string, { range, signal }: OpenOptions): Promise<Readable> {
  const tree = walrus.trees.get(blobId)
  if (!tree) return inPieces(await readWhole(walrus, blobId, signal), range)
  if (range && !isWithin(range, tree.sizeBytes)) throw outOfRange()
  return await openVerified(walrus, blobId, tree, { range, signal })
}

/** From the first aggregator whose first leaf verifies. */
async function openVerified(
  { aggregators }: Walrus,
  blobId: string,
  tree: Tree,
  { range, signal }: OpenOptions,
): Promise<VerifiedStream> {
  const { sizeBytes } = tree
  const wanted = range && wholeLeaves(range, sizeBytes)
  return await aggregators.first(async (endpoint) => {
    const { body, sizeBytes: found } = await openAt(endpoint, blobId, { range: wanted, sizeBytes, signal })
    const content = new StreamedContent(answerOf(body), wanted?.start ?? 0)
    try {
      if (found !== sizeBytes)
        throw new NetworkError('integrity', 'the size of a blob differs from the size that was stored')
      return await VerifiedStream.open({ name: blobId, file: content, ...tree }, range, null)
    } catch (error) {
      await content[Symbol.asyncDispose]()
      signal.throwIfAborted()
      throw ofOneAggregator(error)
    }
  })
}

export function answerOf(body: Opened['body']): Answer {
  const failureOf = (error: unknown) => (error instanceof NetworkError ? error : silenceError('the aggregator', error))
  const assertWhole = () => {
    if (!body.complete) throw new Error('the response was cut off')
  }
  return { body, failureOf, assertWhole }
}

/** Bytes that one aggregator changed or lost can arrive intact from another one. */
function ofOneAggregator(error: unknown): unknown {
  if (!(error instanceof NetworkError) || error instanceof EndpointError || error.code === 'refused') return error
  const { code, message, cause, fault } = error
  return new EndpointError({ code, says: message, elsewhere: true }, { cause, ...(fault && { fault }) })
}

const isWithin = ({ start, end }: ByteRange, sizeBytes: number) => 0 <= start && start <= end && end < sizeBytes

/** Aggregators reject a range that exceeds the blob. */
function wholeLeaves({ start, end }: ByteRange, sizeBytes: number): ByteRange {
  const lastLeaf = Math.min(Math.floor(end / leafBytes), countLeaves(sizeBytes) - 1)
  return { start: Math.floor(start / leafBytes) * leafBytes, end: Math.min((lastLeaf + 1) * leafBytes, sizeBytes) - 1 }
}

async function readWhole({ aggregators, settings }: Walrus, blobId: string, signal: AbortSignal): Promise<Buffer> {
  return await aggregators.first(async (endpoint) => {
    const { body, sizeBytes } = await openAt(endpoint, blobId, { signal })
    if (sizeBytes > settings.checkIdBytes || !canComputeBlobIds()) {
      body.destroy()
      throw new NetworkError('copy_failed', 'the bytes of this blob cannot be verified')
    }
    const { failureOf } = answerOf(body)
    const chunks: Buffer[] = []
    try {
      for await (const chunk of body) chunks.push(chunk)
    } catch (error) {
      signal.throwIfAborted()
      throw failureOf(error)
    }
    const bytes = Buffer.concat(chunks)
    if ((await computeBlobId(bytes, settings.shards)) !== blobId) {
      throw new EndpointError({ code: 'integrity', says: 'a copy is damaged', elsewhere: true })
    }
    return bytes
  })
}

function inPieces(bytes: Buffer, range: ByteRange | undefined): Readable {
  if (range && !isWithin(range, bytes.length)) throw outOfRange()
  const part = range ? bytes.subarray(range.start, range.end + 1) : bytes
  const PIECE_BYTES = 64 * 1024
  const pieces = Array.from({ length: Math.ceil(part.length / PIECE_BYTES) }, (_, index) =>
    part.subarray(index * PIECE_BYTES, (index + 1) * PIECE_BYTES),
  )
  return Readable.from(pieces)
}
