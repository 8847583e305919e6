import type { ByteRange } from '../storage-network.ts'
import { UNIXFS_V1_2025 } from '../unixfs/dag-builder.ts'
import { integrityError } from '../verified/entry.ts'
import { countLeaves } from '../verified/sidecar.ts'
import { type Answer, StreamedContent } from '../verified/streamed-content.ts'
import type { TreeCache } from '../verified/tree-cache.ts'
import { outOfRange, VerifiedStream } from '../verified/verified-stream.ts'
import { assertWhole } from './answer.ts'
import { failureOf, isBlockMissing } from './failure.ts'
import { findCopy, treeOf } from './find-copy.ts'
import type { Kubo } from './kubo.ts'
import { copyNamed, type Named } from './paths.ts'
import type { Rpc } from './rpc.ts'

const { leafBytes } = UNIXFS_V1_2025

export interface OpenOptions {
  range: ByteRange | undefined
  signal: AbortSignal
}

/** Opens one copy or a range of it. Null: the copy does not exist. @throws NetworkError as `StorageNetwork.open` */
export async function openCopy(
  kubo: Kubo,
  copy: Named,
  options: OpenOptions,
  known: TreeCache,
): Promise<VerifiedStream | null> {
  const found = await findCopy(kubo, copy, options.signal)
  if (found === 'absent') return null
  if (found === 'foreign') throw integrityError()
  return await openContent(kubo.rpc, copy.blobId, options, known)
}

/** The node stores equal bytes once, so all copies of a blob are equivalent. Null: the node has none. */
export async function openAnyCopy(
  { rpc, mfs, paths }: Kubo,
  blobId: string,
  options: OpenOptions,
  known: TreeCache,
): Promise<VerifiedStream | null> {
  const links = (await mfs.list(paths.shardOf(blobId), options.signal)) ?? []
  const isHeld = links.some(({ name, cid }) => cid === blobId && copyNamed(name)?.blobId === blobId)
  return isHeld ? await openContent(rpc, blobId, options, known) : null
}

async function openContent(
  rpc: Rpc,
  blobId: string,
  { range, signal }: OpenOptions,
  known: TreeCache,
): Promise<VerifiedStream> {
  const tree = await treeOf(rpc, blobId, signal, known)
  if (tree === null) throw integrityError()
  // Only its bytes prove the length of a single leaf.
  const isProved = countLeaves(tree.sizeBytes) > 1
  if (isProved && range && !(0 <= range.start && range.start <= range.end && range.end < tree.sizeBytes)) {
    throw outOfRange()
  }
  const start = isProved && range ? Math.floor(range.start / leafBytes) * leafBytes : 0
  const end = isProved && range ? (Math.floor(range.end / leafBytes) + 1) * leafBytes : tree.sizeBytes
  const content = new StreamedContent(
    await readContent(rpc, blobId, signal, { offset: start, length: end - start }),
    start,
  )
  try {
    return await VerifiedStream.open({ name: blobId, file: content, ...tree }, range, null)
  } catch (error) {
    await content[Symbol.asyncDispose]()
    signal.throwIfAborted()
    throw error
  }
}

/** The unverified bytes of a blob on the node. A missing block means that the copy is damaged. */
export async function readContent(
  rpc: Rpc,
  blobId: string,
  signal: AbortSignal,
  range: { offset: number; length?: number } = { offset: 0 },
): Promise<Answer> {
  const readFailureOf = (error: unknown) => {
    const failure = failureOf(error)
    return isBlockMissing(failure) ? integrityError() : failure
  }
  const call = { command: 'cat', args: [blobId], parameters: { ...range, offline: true } }
  const body = await rpc.open(call, signal).catch((error: unknown) => {
    signal.throwIfAborted()
    throw readFailureOf(error)
  })
  return { body, failureOf: readFailureOf, assertWhole: () => assertWhole(body) }
}
