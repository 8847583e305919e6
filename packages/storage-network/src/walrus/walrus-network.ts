import { begin } from '../copy-name.ts'
import { NetworkError } from '../errors.ts'
import type { NetworkIdentity } from '../identity.ts'
import type { Committed, CopyName, Reference, StorageNetwork } from '../storage-network.ts'
import { dagSize } from '../unixfs/dag-size.ts'
import { handOver } from '../verified/verified-stream.ts'
import { isNotFound, sizeOf } from './aggregator.ts'
import { canComputeBlobIds, isWalrusBlobId } from './blob-id.ts'
import { encodedSizeBytes } from './encoded-size.ts'
import { openAnyCopy, openCopy } from './open-blob.ts'
import { assertAnswers } from './owner.ts'
import { proveCopy } from './prove-copy.ts'
import { fromRef, isInline, type Remembered } from './remembered.ts'
import type { WalrusSettings } from './settings.ts'
import { stageBlob } from './stage-blob.ts'
import { maxBlobBytes } from './store-bytes.ts'
import { leaseFromNow, storeCopy } from './store-copy.ts'
import { openWalrus, type Walrus } from './walrus.ts'

/** A network on Walrus publishers and aggregators. A copy is what a row remembers. It expires and cannot be removed. */
export function openWalrusNetwork({
  name,
  installationId,
  ...settings
}: WalrusSettings & NetworkIdentity): StorageNetwork {
  const walrus = openWalrus(settings, { name, installationId })
  const { owner, aggregators, publishers } = walrus
  /** Nothing counts as absent unless the right network confirms it. */
  const failAbsent = async (signal: AbortSignal): Promise<never> => {
    await owner.check(signal)
    throw new NetworkError('not_found', 'Walrus does not have this copy')
  }
  const rememberedOf = (copy: { blobId: string; ref: Record<string, string> }) =>
    isWalrusBlobId(copy.blobId) ? fromRef(copy.ref) : null
  return {
    name,
    driver: 'walrus',
    maxBlobBytes: maxBlobBytes(settings),
    caps: { expires: true, removes: false },
    blobIdOf: () => null,
    billedBytes: (sizeBytes) => billedBytes(sizeBytes, settings.shards),
    leaseEnd: () => leaseFromNow(settings),
    stage: (body, options) => stageBlob(walrus, body, options),
    async open(copy, { range, signal }) {
      begin('reference' in copy ? copy.reference : undefined, signal)
      const remembered = 'reference' in copy ? rememberedOf(copy) : null
      if (!isWalrusBlobId(copy.blobId) || ('reference' in copy && remembered === null)) return await failAbsent(signal)
      const options = { range, signal }
      const opening = remembered
        ? openCopy(walrus, copy.blobId, remembered, options)
        : openAnyCopy(walrus, copy.blobId, options)
      const stream = await opening.catch((error: unknown) => {
        signal.throwIfAborted()
        if (isNotFound(error)) return failAbsent(signal)
        throw error
      })
      return handOver(stream, signal)
    },
    async stat(copy, signal) {
      begin(copy.reference, signal)
      const remembered = rememberedOf(copy)
      if (remembered === null) return { state: 'absent' }
      const { sizeBytes, expiresAt, tree } = remembered
      const found = await sizeOf(aggregators, copy.blobId, { signal, sizeBytes })
      const isReadable =
        found !== null && ('bytes' in tree || (await sizeOf(aggregators, tree.blobId, { signal })) !== null)
      if (isReadable) return { state: 'present', sizeBytes: found, expiresAt }
      await owner.check(signal)
      return { state: 'absent' }
    },
    references: noReferences,
    async prove(copy, expected, signal) {
      begin(copy.reference, signal)
      const remembered = rememberedOf(copy)
      if (remembered === null) return { ok: false, reason: 'absent' }
      return await proveCopy(walrus, copy, remembered, expected, signal)
    },
    async renew(copy, signal) {
      begin(copy.reference, signal)
      const remembered = rememberedOf(copy)
      if (remembered === null) return await failAbsent(signal)
      return await renewCopy(walrus, copy, remembered, signal).catch((error: unknown) => {
        if (isNotFound(error)) return failAbsent(signal)
        throw error
      })
    },
    async remove(copy, signal) {
      begin(copy.reference, signal)
      const remembered = rememberedOf(copy)
      if (remembered === null) return { outcome: 'released' }
      // A copy expires with an epoch, so it can last up to one epoch longer.
      return { outcome: 'expires', expiresAt: new Date(remembered.expiresAt.getTime() + settings.epochSeconds * 1000) }
    },
    async health(signal, needs = { toStore: true }) {
      if (needs.toStore) await assertAnswers(publishers, signal)
      await (canComputeBlobIds() ? owner.check(signal) : owner.ensure(signal))
    },
    space: async () => null,
  }
}

/** Walrus does not report owners. */
async function* noReferences(): AsyncGenerator<Reference, void, void> {}

/** Extends a lease by storing a verified copy again. @throws NetworkError `not_found`, `integrity` */
async function renewCopy(
  walrus: Walrus,
  { blobId }: CopyName,
  remembered: Remembered,
  signal: AbortSignal,
): Promise<Committed> {
  const { sizeBytes } = remembered
  const bytes = await openCopy(walrus, blobId, remembered, { range: undefined, signal })
  // No listener exists between opening and the first read.
  bytes.on('error', () => undefined)
  try {
    const again = await storeCopy(walrus, bytes, { sizeBytes, signal })
    if (again.blobId !== blobId || !again.rootCid.equals(remembered.rootCid)) {
      throw new NetworkError('copy_failed', `a publisher computed ${again.blobId} for the bytes of ${blobId}`)
    }
    return { expiresAt: again.expiresAt, ref: again.ref }
  } finally {
    bytes.destroy()
  }
}

/** Encoded size of the blob, and of its tree if it has one. */
export function billedBytes(sizeBytes: number, shards: number): number {
  const { sidecarBytes } = dagSize(sizeBytes)
  const ofTree = isInline(sidecarBytes) ? 0 : encodedSizeBytes(sidecarBytes, shards)
  return encodedSizeBytes(sizeBytes, shards) + ofTree
}
