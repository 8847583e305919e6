import { isBlobId } from '../copy-name.ts'
import { digestOf, parseCid, RAW } from '../unixfs/cid.ts'
import { countLeaves } from '../verified/sidecar.ts'
import type { Tree, TreeCache } from '../verified/tree-cache.ts'
import { rawBytes } from './blocks.ts'
import type { Kubo } from './kubo.ts'
import { entryOf, type Named } from './paths.ts'
import { readTree } from './read-tree.ts'
import type { Rpc } from './rpc.ts'

/** Whether a path is there and points to what the copy says (`held`), or to something else (`foreign`). */
export async function findCopy(
  { mfs, paths }: Kubo,
  copy: Named,
  signal: AbortSignal,
): Promise<'held' | 'foreign' | 'absent'> {
  const cid = isBlobId(copy.blobId) ? await mfs.resolve(paths.shardOf(copy.blobId), entryOf(copy), signal) : null
  if (cid === null) return 'absent'
  return cid === copy.blobId ? 'held' : 'foreign'
}

/** What the blocks above the leaves say; of a single leaf its length, unproved. Null: they are damaged, or gone. */
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
