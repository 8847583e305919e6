import { NetworkError } from '../errors.ts'
import { UNIXFS_V1_2025 } from '../unixfs/dag-builder.ts'
import { ContentDigest, type ContentFacts } from '../verified/content-digest.ts'
import { inBackground } from '../verified/in-background.ts'
import { leavesOf } from '../verified/leaves-of.ts'
import { sizeOf } from './aggregator.ts'
import { canComputeBlobIds, computeBlobId } from './blob-id.ts'
import { largestBlobBytes } from './encoded-size.ts'
import { EndpointError } from './failure.ts'
import { type Body, putBlob, type Stored } from './publisher.ts'
import type { WalrusSettings } from './settings.ts'
import type { Walrus } from './walrus.ts'

/** Bytes that always stay in memory, so that another publisher can be tried. */
const KEPT_BYTES_MIN = UNIXFS_V1_2025.leafBytes

export const maxBlobBytes = ({ maxBlobBytes: taken, shards }: WalrusSettings): number =>
  Math.min(taken, largestBlobBytes(shards))

/**
 * Stores bytes in one pass. Up to `checkIdBytes` stay in memory, to retry them and to compare their ID; more go to
 * one publisher once. @throws NetworkError; errors of the bytes unchanged
 */
export async function storeBytes(
  walrus: Walrus,
  source: AsyncIterable<Uint8Array>,
  { sizeBytes, signal }: { sizeBytes?: number | undefined; signal: AbortSignal },
): Promise<{ facts: ContentFacts; stored: Stored }> {
  const digest = new ContentDigest()
  const leaves = digestedLeaves(source, digest, walrus.settings)
  const kept: Buffer[] = []
  const keptMax = Math.max(walrus.settings.checkIdBytes, KEPT_BYTES_MIN)
  for (;;) {
    const next = await leaves.next()
    if (next.done) return { facts: digest.finish(), stored: await storeWhole(walrus, Buffer.concat(kept), signal) }
    kept.push(next.value)
    if (digest.sizeBytes > keptMax) break
  }
  let isTaken = false
  async function* pieces() {
    isTaken = true
    for (let piece = kept.shift(); piece; piece = kept.shift()) yield piece
    yield* leaves
  }
  const stored = await walrus.publishers.first(
    (endpoint) => putBlob(endpoint, walrus.settings, { sizeBytes: sizeBytes ?? null, pieces }, signal),
    () => !isTaken,
  )
  return { facts: digest.finish(), stored }
}

async function* digestedLeaves(
  source: AsyncIterable<Uint8Array>,
  digest: ContentDigest,
  settings: WalrusSettings,
): AsyncGenerator<Buffer, void, void> {
  const keptMax = Math.max(settings.checkIdBytes, KEPT_BYTES_MIN)
  const fresh = () => Buffer.allocUnsafeSlow(UNIXFS_V1_2025.leafBytes)
  // After the held bytes, one piece is sent while the next one is filled.
  const turns = [fresh, fresh].map((make) => lazily(make)) as [() => Buffer, () => Buffer]
  let leavesTaken = 0
  const space = () => (digest.sizeBytes > keptMax ? turns[(leavesTaken % 2) as 0 | 1]() : fresh())
  for await (const leaf of leavesOf(source, space)) {
    digest.addLeaf(leaf)
    if (digest.sizeBytes > maxBlobBytes(settings)) throw tooLarge()
    leavesTaken++
    yield leaf
  }
}

function lazily(make: () => Buffer): () => Buffer {
  let made: Buffer | undefined
  return () => {
    made ??= make()
    return made
  }
}

export const tooLarge = () => new NetworkError('too_large', 'the blob is larger than the network accepts')

/**
 * Stores bytes from memory. After an ambiguous failure, stores them again if the blob is found: this costs nothing and
 * returns the expiry.
 * @throws NetworkError
 */
export async function storeWhole(walrus: Walrus, bytes: Buffer, signal: AbortSignal): Promise<Stored> {
  const { settings, publishers, aggregators } = walrus
  const isChecked = bytes.length <= settings.checkIdBytes && canComputeBlobIds()
  const ownId = isChecked ? inBackground(computeBlobId(bytes, settings.shards)) : null
  const body: Body = { sizeBytes: bytes.length, pieces: () => inPieces(bytes) }
  const put = () => publishers.first((endpoint) => putBlob(endpoint, settings, body, signal))
  const stored = await put().catch(async (error: unknown) => {
    if (!(error instanceof EndpointError) || !error.ambiguous || ownId === null) throw error
    const found = await sizeOf(aggregators, await ownId, { signal, sizeBytes: bytes.length }).catch(() => null)
    if (found !== bytes.length) throw error
    return await put()
  })
  if (ownId !== null && (await ownId) !== stored.blobId) {
    const says = `a publisher computed ${stored.blobId} for bytes with the blob ID ${await ownId} on ${settings.shards} shards`
    throw new NetworkError('copy_failed', says)
  }
  return stored
}

async function* inPieces(bytes: Buffer): AsyncGenerator<Buffer, void, void> {
  for (let at = 0; at < bytes.length; at += UNIXFS_V1_2025.leafBytes) {
    yield bytes.subarray(at, at + UNIXFS_V1_2025.leafBytes)
  }
}
