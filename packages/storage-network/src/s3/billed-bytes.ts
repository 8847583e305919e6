import { dagSize } from '../unixfs/dag-size.ts'
import type { S3Settings } from './store.ts'

/** The object of the bytes and that of their tree, which is in the store's default class whatever the bytes are in. */
export function billedBytes(
  { minBilledBytes = 0, storageClass }: Pick<S3Settings, 'minBilledBytes' | 'storageClass'>,
  sizeBytes: number,
): number {
  const tree = dagSize(sizeBytes).sidecarBytes
  const leastOfTree = tree > 0 && storageClass === undefined ? minBilledBytes : 0
  return Math.max(sizeBytes, minBilledBytes) + Math.max(tree, leastOfTree)
}
