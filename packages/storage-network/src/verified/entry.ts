import { hash } from 'node:crypto'
import { NetworkError } from '../errors.ts'
import { UNIXFS_V1_2025 } from '../unixfs/dag-builder.ts'
import { leafDigest, leafSize } from './sidecar.ts'
import type { Tree } from './tree-cache.ts'

export interface Content extends AsyncDisposable {
  /**
   * Fills `space` from `position` on. False: the content ends before that. After an error, `space` must not be reused.
   */
  fill(space: Buffer, position: number): Promise<boolean>
}

/** An open copy whose tree is verified up to the blob ID. */
export interface Entry extends Tree {
  /** Unique to this content of this copy: any write to the copy changes the name. */
  name: string
  file: Content
}

/**
 * Reads and verifies one leaf. After an error, `space` must not be reused, because a late read may still write to it.
 */
export async function readLeaf(entry: Entry, index: number, space?: Buffer): Promise<Buffer> {
  const length = leafSize(index, entry.sizeBytes)
  const leaf = space ? space.subarray(0, length) : Buffer.allocUnsafeSlow(length)
  if (!(await entry.file.fill(leaf, index * UNIXFS_V1_2025.leafBytes))) throw integrityError()
  if (!hash('sha256', leaf, 'buffer').equals(leafDigest(entry.leafDigests, index))) throw integrityError()
  return leaf
}

export function integrityError(): NetworkError {
  return new NetworkError('integrity', 'a copy is damaged')
}
