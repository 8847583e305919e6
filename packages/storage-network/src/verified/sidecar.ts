import { CID_BYTES, digestOf, parseCid, RAW } from '../unixfs/cid.ts'
import { DagBuilder, leafDigestsOf, UNIXFS_V1_2025 } from '../unixfs/dag-builder.ts'
import { decodeVarint, encodeVarint } from '../unixfs/varint.ts'

const { leafBytes, maxLinks } = UNIXFS_V1_2025
const DIGEST_BYTES = 32

/**
 * One dag-pb block as a CARv1 section (length, CID, block). A sidecar contains the sections of a file, children first:
 * about 51 KB per GiB. A file of one leaf has no sidecar.
 */
export function encodeSection(cid: Buffer, block: Buffer): Buffer {
  return Buffer.concat([encodeVarint(cid.length + block.length), cid, block])
}

export function hasSidecar(blobId: string): boolean {
  const cid = parseCid(blobId)
  return cid !== null && cid[1] !== RAW
}

/** Larger than any sidecar of a file of this size: a link per leaf, and the fixed fields of each node. */
export function sidecarBytesMax(sizeBytes: number): number {
  return 4096 + 64 * countLeaves(sizeBytes)
}

export function countLeaves(sizeBytes: number): number {
  return Math.max(1, Math.ceil(sizeBytes / leafBytes))
}

export function leafSize(index: number, sizeBytes: number): number {
  return Math.min(leafBytes, sizeBytes - index * leafBytes)
}

/** All leaf digests in order, 32 bytes each. Null unless the sidecar is exactly the tree of this size and root. */
export function verifySidecar(rootCid: Buffer, sizeBytes: number, sidecar: Buffer): Buffer | null {
  const digests = rootCid[1] === RAW ? digestOf(rootCid) : readLeafDigests(sidecar)
  const leaves = countLeaves(sizeBytes)
  if (digests.length !== leaves * DIGEST_BYTES) return null
  const sections: Buffer[] = []
  const dag = new DagBuilder(maxLinks, (cid, block) => sections.push(encodeSection(cid, block)))
  for (let index = 0; index < leaves; index++) dag.addLeaf(leafDigest(digests, index), leafSize(index, sizeBytes))
  return dag.finish().equals(rootCid) && Buffer.concat(sections).equals(sidecar) ? digests : null
}

export function leafDigest(digests: Buffer, index: number): Buffer {
  return digests.subarray(index * DIGEST_BYTES, (index + 1) * DIGEST_BYTES)
}

function readLeafDigests(sidecar: Buffer): Buffer {
  const digests: Buffer[] = []
  for (let at = 0; at < sidecar.length; ) {
    const length = decodeVarint(sidecar, at)
    if (length === null) break
    const block = sidecar.subarray(length.next + CID_BYTES, length.next + length.value)
    digests.push(Buffer.concat(leafDigestsOf(block)))
    at = length.next + length.value
  }
  return Buffer.concat(digests)
}
