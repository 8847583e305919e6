import { isBlobId } from '../copy-name.ts'
import { DAG_PB, digestOf, parseCid, RAW } from '../unixfs/cid.ts'
import { UNIXFS_V1_2025 } from '../unixfs/dag-builder.ts'
import { decodeFileNode, type FileLink } from '../unixfs/file-node.ts'
import { countLeaves } from '../verified/sidecar.ts'
import type { Tree, TreeCache } from '../verified/tree-cache.ts'
import { isBlockOf, rawBytes, readBlock } from './blocks.ts'
import type { Kubo } from './kubo.ts'
import { MAX_BLOB_BYTES } from './limits.ts'
import { entryOf, type Named } from './paths.ts'
import type { Rpc } from './rpc.ts'

/** Whether a path exists and points to the copy's content (`held`) or to other content (`foreign`). */
export async function findCopy(
  { mfs, paths }: Kubo,
  copy: Named,
  signal: AbortSignal,
): Promise<'held' | 'foreign' | 'absent'> {
  const cid = isBlobId(copy.blobId) ? await mfs.resolve(paths.shardOf(copy.blobId), entryOf(copy), signal) : null
  if (cid === null) return 'absent'
  return cid === copy.blobId ? 'held' : 'foreign'
}

/** The data in the blocks above the leaves; for a single leaf, its unproved length. Null: they are damaged or missing. */
export async function treeOf(rpc: Rpc, blobId: string, signal: AbortSignal, known?: TreeCache): Promise<Tree | null> {
  const cid = parseCid(blobId)
  if (cid?.[1] !== RAW) {
    const tree = known?.get(blobId) ?? (await readTree(rpc, blobId, signal))
    if (tree) known?.set(blobId, tree)
    return tree
  }
  const digest = digestOf(cid)
  const sizeBytes = await rawBytes(rpc, digest, signal)
  return sizeBytes === null || countLeaves(sizeBytes) > 1 ? null : { sizeBytes, leafDigests: digest }
}

const { leafBytes } = UNIXFS_V1_2025
/** One more than the largest blob has. */
const LEVELS_MAX = 4

/** Verifies each block of a tree with several leaves. Null: a block is missing, wrong, or not of the profile. */
export async function readTree(rpc: Rpc, blobId: string, signal: AbortSignal): Promise<Tree | null> {
  const cid = parseCid(blobId)
  const root = cid && (await readNode(rpc, cid, signal))
  if (!root || root.contentBytes > MAX_BLOB_BYTES) return null
  let level = root.links
  for (let depth = 1; depth < LEVELS_MAX && level.some(({ cid }) => cid[1] === DAG_PB); depth++) {
    const below: FileLink[] = []
    for (const { cid, contentBytes } of level) {
      const node = await readNode(rpc, cid, signal)
      if (node?.contentBytes !== contentBytes) return null
      for (const link of node.links) below.push(link)
    }
    level = below
  }
  const isProfile = level.every(
    ({ cid, contentBytes }, index) =>
      cid[1] === RAW && (index < level.length - 1 ? contentBytes === leafBytes : contentBytes <= leafBytes),
  )
  if (!isProfile) return null
  return { sizeBytes: root.contentBytes, leafDigests: Buffer.concat(level.map(({ cid }) => digestOf(cid))) }
}

async function readNode(rpc: Rpc, cid: Buffer, signal: AbortSignal) {
  if (cid[1] !== DAG_PB) return null
  const digest = digestOf(cid)
  const block = await readBlock(rpc, digest, signal)
  return block && isBlockOf(digest, block) ? decodeFileNode(block) : null
}
