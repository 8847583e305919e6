const MAX_BYTES = 16 * 1024 * 1024
/** A short Buffer may be part of Node's pool and keep all of it. */
const POOL_BYTES = 8 * 1024

export interface Tree {
  sizeBytes: number
  /** 32 bytes a leaf, in order. */
  leafDigests: Buffer
}

/** Trees that have been verified, by blob id: it proves them, so those of one copy are those of every other. */
export interface TreeCache {
  get(blobId: string): Tree | undefined
  set(blobId: string, tree: Tree): void
}

/** Holds up to 16 MiB, those used last. Own code, for this package imports Node's builtins alone. */
export function createTreeCache(): TreeCache {
  // In the order in which they were used.
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
