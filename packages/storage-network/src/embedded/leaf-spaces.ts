import { UNIXFS_V1_2025 } from '../unixfs/dag-builder.ts'

const SPARE_MAX = 8

/** Room for leaves of which little is wanted: a fresh megabyte for each range would be freed late. */
export interface LeafSpaces {
  take(): Buffer
  /** Nobody may look at it any more. */
  giveBack(space: Buffer): void
}

export function createLeafSpaces(): LeafSpaces {
  const spare: Buffer[] = []
  return {
    take: () => spare.pop() ?? Buffer.allocUnsafeSlow(UNIXFS_V1_2025.leafBytes),
    giveBack(space) {
      if (spare.length < SPARE_MAX) spare.push(space)
    },
  }
}
