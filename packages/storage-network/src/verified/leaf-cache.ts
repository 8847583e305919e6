import { UNIXFS_V1_2025 } from '../unixfs/dag-builder.ts'

const LEAVES_MAX = 16

/** Verified leaves of open copies, for consecutive ranges within one leaf. A proof never uses them. */
export interface LeafCache {
  /** Returns `take(leaf)`. Reads a missing leaf into `space`; concurrent callers share that read and its error. */
  use<T>(name: string, read: (space: Buffer) => Promise<Buffer>, take: (leaf: Buffer) => T): Promise<T>
}

interface Held {
  space: Buffer
  leaf: Promise<Buffer>
  users: number
}

/** Holds up to 16 MiB of the most recently used leaves, and all leaves that are being read. */
export function createLeafCache(leavesMax = LEAVES_MAX): LeafCache {
  // Least recently used first.
  const leaves = new Map<string, Held>()

  /** Node frees large buffers late, so the buffer of an unused leaf is reused. */
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
