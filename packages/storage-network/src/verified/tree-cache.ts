const MAX_BYTES = 16 * 1024 * 1024
/** A short Buffer may be part of Node's pool and keep the entire pool in memory. */
const POOL_BYTES = 8 * 1024

export interface Tree {
  sizeBytes: number
  /** 32 bytes per leaf, in order. */
  leafDigests: Buffer
}

/** Verified trees by blob ID. The blob ID proves the tree, so all copies of a blob share it. */
export interface TreeCache {
  get(blobId: string): Tree | undefined
  set(blobId: string, tree: Tree): void
}

/**
 * Holds up to 16 MiB of the most recently used trees. Implemented here because this package imports only Node's
 * builtins.
 */
export function createTreeCache(): TreeCache {
  // Least recently used first.
  const trees = new Map<string, Tree>()
  let heldBytes = 0
  const drop = (blobId: string) => {
    heldBytes -= bytesOf(trees.get(blobId))
    trees.delete(blobId)
  }
  return {
    get(blobId) {
      const tree = trees.get(blobId)
      if (tree === undefined) return undefined
      trees.delete(blobId)
      trees.set(blobId, tree)
      return tree
    },
    set(blobId, tree) {
      drop(blobId)
      trees.set(blobId, tree)
      heldBytes += bytesOf(tree)
      for (const oldest of trees.keys()) {
        if (heldBytes <= MAX_BYTES) break
        drop(oldest)
      }
    },
  }
}

function bytesOf(tree: Tree | undefined): number {
  return tree === undefined ? 0 : tree.leafDigests.length + POOL_BYTES
}
