import { dagSize } from '../unixfs/dag-size.ts'
import { encodedSizeBytes } from './encoded-size.ts'
import { isInline } from './remembered.ts'

/** The encoded blob, and that of its tree where it has one. */
export function billedBytes(sizeBytes: number, shards: number): number {
  const { sidecarBytes } = dagSize(sizeBytes)
  const ofTree = isInline(sidecarBytes) ? 0 : encodedSizeBytes(sidecarBytes, shards)
  return encodedSizeBytes(sizeBytes, shards) + ofTree
}
