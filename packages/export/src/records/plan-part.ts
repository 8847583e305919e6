import { UNIXFS_V1_2025 } from '@tideport/storage-network/unixfs/dag-builder'
import type { WalkedFile } from './walk-account.ts'

/** A file, or a piece of one that is larger than a part. */
export interface Stretch {
  walked: WalkedFile
  from: number
  to: number
}

/** Place where the next part of such a file begins. */
export interface Within {
  fileId: string
  at: number
}

interface Room {
  within: Within | null
  /** Total bytes of the files. */
  partBytes: number
}

/** Stretches consist of complete leaves, so only the last leaf of a file is shorter. */
export const partBytesOf = (bytes: number): number =>
  Math.max(1, Math.floor(bytes / UNIXFS_V1_2025.leafBytes)) * UNIXFS_V1_2025.leafBytes

/** Plans as many files as fit, or one stretch of the first file. */
export function planPart(files: readonly WalkedFile[], { within, partBytes }: Room): Stretch[] {
  const stretches: Stretch[] = []
  let room = partBytes
  for (const walked of files) {
    const { id, sizeBytes } = walked.file
    const from = within?.fileId === id ? within.at : 0
    if (sizeBytes - from > room && stretches.length > 0) break
    const to = Math.min(sizeBytes, from + room)
    stretches.push({ walked, from, to })
    if (to < sizeBytes) break
    room -= to - from
  }
  return stretches
}
