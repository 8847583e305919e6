import { DAG_PB, digestOf, parseCid, RAW } from '../unixfs/cid.ts'
import { UNIXFS_V1_2025 } from '../unixfs/dag-builder.ts'
import { decodeFileNode, type FileLink } from '../unixfs/file-node.ts'
import type { Tree } from '../verified/tree-cache.ts'
import { isBlockOf, readBlock } from './blocks.ts'
import { MAX_BLOB_BYTES } from './limits.ts'
import type { Rpc } from './rpc.ts'

const { leafBytes } = UNIXFS_V1_2025
/** One more than a blob of the largest size has. */
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
