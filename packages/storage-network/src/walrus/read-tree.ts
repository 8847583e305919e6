import { integrityError } from '../verified/entry.ts'
import { verifySidecar } from '../verified/sidecar.ts'
import type { Tree } from '../verified/tree-cache.ts'
import { isNotFound, openAt } from './aggregator.ts'
import { EndpointError, silenceError } from './failure.ts'
import type { Remembered } from './remembered.ts'
import { wholeOf } from './transport.ts'
import type { Walrus } from './walrus.ts'

/** The verified tree of a copy. @throws NetworkError `integrity` if it is missing or wrong */
export async function treeOf(
  walrus: Pick<Walrus, 'aggregators' | 'trees'>,
  blobId: string,
  remembered: Remembered,
  signal: AbortSignal,
): Promise<Tree> {
  const known = walrus.trees.get(blobId)
  if (known) return known
  const tree = await readTree(walrus, remembered, signal)
  if (tree === null) throw integrityError()
  walrus.trees.set(blobId, tree)
  return tree
}

/** Read from its storage, never from a cache. Null: it is missing or wrong. @throws NetworkError */
export async function readTree(
  { aggregators }: Pick<Walrus, 'aggregators'>,
  { tree, rootCid, sizeBytes }: Remembered,
  signal: AbortSignal,
): Promise<Tree | null> {
  const verified = (sidecar: Buffer): Tree | null => {
    const leafDigests = verifySidecar(rootCid, sizeBytes, sidecar)
    return leafDigests && { sizeBytes, leafDigests }
  }
  if ('bytes' in tree) return verified(tree.bytes)
  try {
    return await aggregators.first(async (endpoint) => {
      const { body } = await openAt(endpoint, tree.blobId, { signal })
      const sidecar = await wholeOf(body).catch((error: unknown) => {
        signal.throwIfAborted()
        throw silenceError('the aggregator', error)
      })
      const found = verified(sidecar)
      if (found === null) throw new EndpointError({ code: 'integrity', says: 'a tree is damaged', elsewhere: true })
      return found
    })
  } catch (error) {
    if (isNotFound(error) || (error instanceof EndpointError && error.code === 'integrity')) return null
    throw error
  }
}
