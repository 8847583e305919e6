import { formatCid, parseCid } from '../unixfs/cid.ts'
import type { ContentFacts } from '../verified/content-digest.ts'

/**
 * A tree of up to about 40 MiB of content is stored in the row; a larger one is a separate blob, at small extra cost.
 */
const INLINE_BYTES_MAX = 2048

/**
 * The data in a row about its copy. Walrus IDs prove no part of a blob, and HTTP reports neither its expiry nor its
 * owner.
 */
export interface Remembered {
  /** Root of the tree over the bytes, which verifies every range. */
  rootCid: Buffer
  sizeBytes: number
  /** Earliest expiry of its storage. */
  expiresAt: Date
  tree: { bytes: Buffer } | { blobId: string }
}

/** For a copy that was just stored: `objectIds` of Sui objects, for the owner of the wallet. */
export interface Storing {
  endEpoch: number
  objectId: string | null
  treeBlobId: string | null
  treeObjectId: string | null
}

/** As stored in a row (`CopyName.ref`). */
export function toRef(
  { rootCid, sizeBytes, sidecar }: ContentFacts,
  expiresAt: Date,
  { endEpoch, objectId, treeBlobId, treeObjectId }: Storing,
): Record<string, string> {
  return {
    ...{ cid: formatCid(rootCid), size: `${sizeBytes}`, expiresAt: expiresAt.toISOString(), endEpoch: `${endEpoch}` },
    ...(objectId !== null && { object: objectId }),
    ...(treeBlobId === null ? { tree: sidecar.toString('base64url') } : { treeBlob: treeBlobId }),
    ...(treeObjectId !== null && { treeObject: treeObjectId }),
  }
}

export const isInline = (treeBytes: number): boolean => treeBytes <= INLINE_BYTES_MAX

/** Null: not written by this driver. */
export function fromRef(ref: Record<string, string>): Remembered | null {
  const rootCid = parseCid(ref.cid ?? '')
  const [sizeBytes, expiresAt] = [Number(ref.size), new Date(ref.expiresAt ?? '')]
  const tree = ref.treeBlob ? { blobId: ref.treeBlob } : { bytes: Buffer.from(ref.tree ?? '', 'base64url') }
  const isWhole = rootCid !== null && Number.isSafeInteger(sizeBytes) && !Number.isNaN(expiresAt.getTime())
  return isWhole ? { rootCid, sizeBytes, expiresAt, tree } : null
}
