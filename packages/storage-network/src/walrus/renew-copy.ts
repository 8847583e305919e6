import { NetworkError } from '../errors.ts'
import type { Committed, CopyName } from '../storage-network.ts'
import { openCopy } from './open-blob.ts'
import type { Remembered } from './remembered.ts'
import { storeCopy } from './store-copy.ts'
import type { Walrus } from './walrus.ts'

/**
 * Stores a copy again from itself, which is how a lease is extended without a wallet: verified leaf by leaf on its way from
 * an aggregator to a publisher. @throws NetworkError `not_found`, `integrity`
 */
export async function renewCopy(
  walrus: Walrus,
  { blobId }: CopyName,
  remembered: Remembered,
  signal: AbortSignal,
): Promise<Committed> {
  const { sizeBytes } = remembered
  const bytes = await openCopy(walrus, blobId, remembered, { range: undefined, signal })
  // Nobody listens between opening and the first read.
  bytes.on('error', () => undefined)
  try {
    const again = await storeCopy(walrus, bytes, { sizeBytes, signal })
    if (again.blobId !== blobId || !again.rootCid.equals(remembered.rootCid)) {
      throw new NetworkError('copy_failed', `a publisher made ${again.blobId} of the bytes of ${blobId}`)
    }
    return { expiresAt: again.expiresAt, ref: again.ref }
  } finally {
    bytes.destroy()
  }
}
