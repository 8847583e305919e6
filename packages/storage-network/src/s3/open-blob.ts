import type { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { NetworkError } from '../errors.ts'
import type { ByteRange } from '../storage-network.ts'
import { parseCid } from '../unixfs/cid.ts'
import { UNIXFS_V1_2025 } from '../unixfs/dag-builder.ts'
import { integrityError } from '../verified/entry.ts'
import { hasSidecar, sidecarBytesMax, verifySidecar } from '../verified/sidecar.ts'
import { StreamedContent } from '../verified/streamed-content.ts'
import type { Tree, TreeCache } from '../verified/tree-cache.ts'
import { outOfRange, VerifiedStream } from '../verified/verified-stream.ts'
import { QUESTION_DEADLINE_MS } from './bucket.ts'
import { failureOf, isBeyondEnd } from './failure.ts'
import { contentOf, type Named, treeOf } from './keys.ts'
import { listCopies } from './list-references.ts'
import { getObject } from './objects.ts'
import { failRead } from './restore.ts'
import type { Store } from './store.ts'

const { leafBytes } = UNIXFS_V1_2025

export interface OpenOptions {
  range: ByteRange | undefined
  signal: AbortSignal
}

/** Null: the copy does not exist. @throws NetworkError as `StorageNetwork.open` */
export async function openCopy(
  store: Store,
  copy: Named,
  { range, signal }: OpenOptions,
  known: TreeCache,
): Promise<VerifiedStream | null> {
  if (range && !(0 <= range.start && range.start <= range.end)) throw outOfRange()
  const { bucket, settings } = store
  const object = contentOf(copy)
  const wanted = range && wholeLeaves(range)
  const found = await getObject(bucket, object, signal, wanted).catch((error: unknown) =>
    isBeyondEnd(error) ? 'beyond_end' : failRead(bucket, object, error, settings, signal),
  )
  if (found === 'beyond_end') return await failBeyondEnd(store, copy, signal, known)
  if (found === null) return null
  const { body, sizeBytes } = found
  const content = new StreamedContent({ body, failureOf }, wanted?.start ?? 0)
  try {
    const tree = known.get(copy.blobId) ?? (await readTree({ bucket }, copy, sizeBytes, signal))
    if (tree === null || tree.sizeBytes !== sizeBytes) throw integrityError()
    if (hasSidecar(copy.blobId)) known.set(copy.blobId, tree)
    return await VerifiedStream.open({ name: object.key, file: content, ...tree }, range, null)
  } catch (error) {
    await content[Symbol.asyncDispose]()
    throw error
  }
}

/** The copy is shorter than its blob, or the range begins after its end. Reading all of it decides. */
async function failBeyondEnd(store: Store, copy: Named, signal: AbortSignal, known: TreeCache): Promise<null> {
  const whole = await openCopy(store, copy, { range: undefined, signal }, known)
  if (whole === null) return null
  whole.destroy()
  throw outOfRange()
}

/**
 * Opens the first copy whose tree and first leaf verify. Null: no copy exists. If none verifies, throws the error of
 * the last attempt.
 */
export async function openAnyCopy(
  store: Store,
  blobId: string,
  options: OpenOptions,
  known: TreeCache,
): Promise<VerifiedStream | null> {
  let failure: unknown
  for await (const copy of listCopies(store.bucket, `${blobId}/`, options.signal)) {
    try {
      const stream = await openCopy(store, copy, options, known)
      if (stream) return stream
    } catch (error) {
      if (!(error instanceof NetworkError) || error.code === 'unreachable') throw error
      failure = error
    }
  }
  if (failure !== undefined) throw failure
  return null
}

/** The tree of a copy of this size from the bucket. Null unless it is exactly the tree of the blob ID. */
export async function readTree(
  { bucket }: Pick<Store, 'bucket'>,
  copy: Named,
  sizeBytes: number,
  signal: AbortSignal,
): Promise<Tree | null> {
  const sidecar = hasSidecar(copy.blobId) ? await readSidecar({ bucket }, copy, sizeBytes, signal) : Buffer.alloc(0)
  const rootCid = parseCid(copy.blobId)
  const leafDigests = rootCid && sidecar && verifySidecar(rootCid, sizeBytes, sidecar)
  return leafDigests ? { sizeBytes, leafDigests } : null
}

/** Null: no tree exists, or it is longer than any tree for content of this size. */
export async function readSidecar(
  { bucket }: Pick<Store, 'bucket'>,
  copy: Named,
  sizeBytes: number,
  signal: AbortSignal,
): Promise<Buffer | null> {
  const found = await getObject(bucket, treeOf(copy), signal)
  if (found === null) return null
  if (found.sizeBytes <= sidecarBytesMax(sizeBytes)) return await readWhole(found.body, signal)
  found.body.destroy()
  return null
}

/** Requests in addition to the bytes have the short deadline of small requests. */
async function readWhole(body: Readable, signal: AbortSignal): Promise<Buffer> {
  const late = () => {
    body.destroy(new NetworkError('copy_failed', 'the bucket did not respond in time', { fault: 'hanging' }))
  }
  const timer = setTimeout(late, QUESTION_DEADLINE_MS)
  try {
    return await buffer(body)
  } catch (error) {
    signal.throwIfAborted()
    throw failureOf(error)
  } finally {
    clearTimeout(timer)
  }
}

function wholeLeaves({ start, end }: ByteRange): ByteRange {
  return { start: Math.floor(start / leafBytes) * leafBytes, end: (Math.floor(end / leafBytes) + 1) * leafBytes - 1 }
}
