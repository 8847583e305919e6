import { UNIXFS_V1_2025 } from '../unixfs/dag-builder.ts'

const LEAVES_MAX = 16

/** Verified leaves of open copies, for consecutive ranges within one. A proof never uses them. */
export interface LeafCache {
  /** Returns `take(leaf)`. Reads a missing leaf into `space`; concurrent callers share that read and its error. */
  use<T>(name: string, read: (space: Buffer) => Promise<Buffer>, take: (leaf: Buffer) => T): Promise<T>
}

interface Held {
  space: Buffer
  leaf: Promise<Buffer>
  users: number
}

/** Holds up to 16 MiB, the leaves used last, and those that are being read. */
export function createLeafCache(leavesMax = LEAVES_MAX): LeafCache {
  // In the order in which they were used.
  const leaves = new Map<string, Held>()

  /** Fresh megabytes are freed late, so room of a leaf that nobody uses now is used again. */
  function makeRoom(): Buffer | undefined {
    let space: Buffer | undefined
    for (const [name, held] of leaves) {
      if (leaves.size < leavesMax) break
      if (held.users > 0) continue
      leaves.delete(name)
      space = held.space
    }
    return space
  }

  function hold(read: (space: Buffer) => Promise<Buffer>): Held {
    const space = makeRoom() ?? Buffer.allocUnsafeSlow(UNIXFS_V1_2025.leafBytes)
    return { space, leaf: read(space), users: 0 }
  }

  return {
    async use(name, read, take) {
      const held = leaves.get(name) ?? hold(read)
      leaves.delete(name)
      leaves.set(name, held)
      held.users += 1
      try {
        return take(await held.leaf)
      } catch (error) {
        if (leaves.get(name) === held) leaves.delete(name)
        throw error
      } finally {
        held.users -= 1
      }
    },
  }
}
