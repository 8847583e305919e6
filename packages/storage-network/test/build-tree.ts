import { hash } from 'node:crypto'
import { formatCid } from '../src/unixfs/cid.ts'
import { DagBuilder, type DagShape, UNIXFS_V1_2025 } from '../src/unixfs/dag-builder.ts'

/** The blob ID of the bytes, and every dag-pb block below it by its ID. */
export function buildTree(bytes: Buffer, shape: DagShape): { blobId: string; nodes: Map<string, Buffer> } {
  const nodes = new Map<string, Buffer>()
  const dag = new DagBuilder(shape.maxLinks, (cid, block) => nodes.set(formatCid(cid), block))
  for (let at = 0; at === 0 || at < bytes.length; at += shape.leafBytes) {
    const leaf = bytes.subarray(at, at + shape.leafBytes)
    dag.addLeaf(hash('sha256', leaf, 'buffer'), leaf.length)
  }
  return { blobId: formatCid(dag.finish()), nodes }
}

/** The blob ID of a file in the profile's shape, from its leaves in order. */
export function blobIdOfLeaves(leaves: Iterable<{ digest: Buffer; sizeBytes: number }>): string {
  const dag = new DagBuilder(UNIXFS_V1_2025.maxLinks, () => undefined)
  for (const { digest, sizeBytes } of leaves) dag.addLeaf(digest, sizeBytes)
  return formatCid(dag.finish())
}
