import type { ContentFacts } from '../verified/content-digest.ts'
import { verifySidecar } from '../verified/sidecar.ts'
import { markerOf } from './owner.ts'
import { isInline, toRef } from './remembered.ts'
import type { WalrusSettings } from './settings.ts'
import { storeBytes, storeWhole } from './store-bytes.ts'
import type { Walrus } from './walrus.ts'

export interface StoredCopy extends ContentFacts {
  blobId: string
  expiresAt: Date
  ref: Record<string, string>
}

/** Stores the bytes, and their tree if it is too long for a row. @throws as `storeBytes` */
export async function storeCopy(
  walrus: Walrus,
  source: AsyncIterable<Uint8Array>,
  { sizeBytes, signal }: { sizeBytes?: number | undefined; signal: AbortSignal },
): Promise<StoredCopy> {
  const expiresAt = leaseFromNow(walrus.settings)
  const { facts, stored } = await storeBytes(walrus, source, { sizeBytes, signal })
  const tree = isInline(facts.sidecar.length) ? null : await storeWhole(walrus, facts.sidecar, signal)
  if (walrus.marked.endEpoch < stored.endEpoch) await outlive(walrus, signal)
  const ref = toRef(facts, expiresAt, {
    ...{ endEpoch: stored.endEpoch, objectId: stored.objectId },
    ...{ treeBlobId: tree?.blobId ?? null, treeObjectId: tree?.objectId ?? null },
  })
  const leafDigests = verifySidecar(facts.rootCid, facts.sizeBytes, facts.sidecar)
  if (leafDigests) walrus.trees.set(stored.blobId, { sizeBytes: facts.sizeBytes, leafDigests })
  return { ...facts, blobId: stored.blobId, expiresAt, ref }
}

/** The earliest expiry of a copy that is stored now. The current epoch can end at any moment. */
export function leaseFromNow({ epochs, epochSeconds }: Pick<WalrusSettings, 'epochs' | 'epochSeconds'>): Date {
  return new Date(Date.now() + (epochs - 1) * epochSeconds * 1000)
}

/** Renews the marker, without which a missing copy is undetectable. Callers have seen the marker. Ignores errors, because it runs again. */
async function outlive(walrus: Walrus, signal: AbortSignal): Promise<void> {
  await storeMarker(walrus, signal).catch(() => signal.throwIfAborted())
}

/** @throws NetworkError */
export async function storeMarker(walrus: Walrus, signal: AbortSignal): Promise<string> {
  const { blobId, endEpoch } = await storeWhole(walrus, await markerOf(walrus.identity), signal)
  walrus.marked.endEpoch = endEpoch
  return blobId
}
