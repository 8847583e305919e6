import { UNIXFS_V1_2025 } from '../unixfs/dag-builder.ts'

/** Cuts bytes into leaves. `space` returns the buffer of 1 MiB for each leaf. No bytes result in one empty leaf. */
export async function* leavesOf(
  chunks: AsyncIterable<Uint8Array>,
  space: () => Buffer,
): AsyncGenerator<Buffer, void, void> {
  let leaf: Buffer | null = null
  let filled = 0
  let hasGiven = false
  for await (const chunk of chunks) {
    for (let taken = 0; taken < chunk.length; ) {
      leaf ??= space()
      const piece = chunk.subarray(taken, taken + UNIXFS_V1_2025.leafBytes - filled)
      leaf.set(piece, filled)
      filled += piece.length
      taken += piece.length
      if (filled < UNIXFS_V1_2025.leafBytes) continue
      yield leaf
      ;[leaf, filled, hasGiven] = [null, 0, true]
    }
  }
  if (leaf !== null || !hasGiven) yield (leaf ?? Buffer.alloc(0)).subarray(0, filled)
}
