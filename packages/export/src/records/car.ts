import { hash } from 'node:crypto'
import { CID_BYTES, cidOf, formatCid, RAW } from '@tideport/storage-network/unixfs/cid'
import { DagBuilder, UNIXFS_V1_2025 } from '@tideport/storage-network/unixfs/dag-builder'
import { dagSize } from '@tideport/storage-network/unixfs/dag-size'
import { varintLength } from '@tideport/storage-network/unixfs/varint'
import { leavesOf } from '@tideport/storage-network/verified/leaves-of'
import { countLeaves, encodeSection, leafSize } from '@tideport/storage-network/verified/sidecar'

export const CAR_TYPE = 'application/vnd.ipld.car'

/**
 * `{ "roots": [bafkqaaa], "version": 1 }` in DAG-CBOR behind its length. The header names the empty block, because the
 * roots are known only at the end.
 */
export const CAR_HEADER = Buffer.concat([
  Buffer.of(25, 0xa2, 0x65),
  Buffer.from('roots'),
  Buffer.of(0x81, 0xd8, 0x2a, 0x45, 0x00, 0x01, 0x55, 0x00, 0x00, 0x67),
  Buffer.from('version'),
  Buffer.of(0x01),
])

/** Places of a file's blocks: leaves in order, then the nodes of the tree with root `cid`. */
export interface Sections {
  cid: string
  offset: number
  length: number
}

export function sectionsBytes(sizeBytes: number): number {
  const leaves = countLeaves(sizeBytes)
  const last = sectionBytes(leafSize(leaves - 1, sizeBytes))
  return (leaves - 1) * sectionBytes(UNIXFS_V1_2025.leafBytes) + last + dagSize(sizeBytes).sidecarBytes
}

const sectionBytes = (blockBytes: number) => varintLength(CID_BYTES + blockBytes) + CID_BYTES + blockBytes

/** Uses the memory of one leaf. `offset` is the place of the first section. */
export async function* carSections(
  bytes: AsyncIterable<Uint8Array>,
  offset: number,
): AsyncGenerator<Buffer, Sections, void> {
  const nodes: Buffer[] = []
  const dag = new DagBuilder(UNIXFS_V1_2025.maxLinks, (cid, block) => nodes.push(encodeSection(cid, block)))
  const space = Buffer.allocUnsafe(UNIXFS_V1_2025.leafBytes)
  let length = 0
  for await (const leaf of leavesOf(bytes, () => space)) {
    const digest = hash('sha256', leaf, 'buffer')
    dag.addLeaf(digest, leaf.length)
    const section = encodeSection(cidOf(RAW, digest), leaf)
    length += section.length
    yield section
  }
  const root = dag.finish()
  for (const node of nodes) {
    length += node.length
    yield node
  }
  return { cid: formatCid(root), offset, length }
}
