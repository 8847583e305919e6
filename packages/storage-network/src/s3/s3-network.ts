import { begin, isBlobId } from '../copy-name.ts'
import { NetworkError } from '../errors.ts'
import type { NetworkIdentity } from '../identity.ts'
import type { Owner } from '../owner.ts'
import type { CopyName, ReferenceState, StorageNetwork } from '../storage-network.ts'
import { blobIdOfLeaf } from '../unixfs/dag-builder.ts'
import { dagSize } from '../unixfs/dag-size.ts'
import { hasSidecar } from '../verified/sidecar.ts'
import { createTreeCache } from '../verified/tree-cache.ts'
import { handOver } from '../verified/verified-stream.ts'
import { contentOf, treeOf } from './keys.ts'
import { listReferences } from './list-references.ts'
import { lockEnd, lockedUntil, lockUntil } from './lock.ts'
import { headObject } from './objects.ts'
import { openAnyCopy, openCopy, readTree } from './open-blob.ts'
import { proveCopy } from './prove-copy.ts'
import { removeCopy } from './remove-copy.ts'
import { stageBlob } from './stage-blob.ts'
import { MAX_BLOB_BYTES } from './staged-parts.ts'
import { openStore, type S3Settings, type Store } from './store.ts'

/** A network in a bucket of its own: a copy is the content and the tree that proves it. */
export function openS3Network({ name, installationId, ...settings }: S3Settings & NetworkIdentity): StorageNetwork {
  const store = openStore(settings, { name, installationId })
  const trees = createTreeCache()
  return {
    name,
    driver: 's3',
    maxBlobBytes: MAX_BLOB_BYTES,
    caps: { expires: settings.lock !== undefined, removes: settings.lock === undefined },
    blobIdOf: blobIdOfLeaf,
    billedBytes: (sizeBytes) => billedBytes(settings, sizeBytes),
    leaseEnd: () => lockEnd(settings.lock),
    stage: (body, options) => stageBlob(store, body, options),
    async open(copy, { range, signal }) {
      begin('reference' in copy ? copy.reference : undefined, signal)
      const options = { range, signal }
      const open = () =>
        'reference' in copy ? openCopy(store, copy, options, trees) : openAnyCopy(store, copy.blobId, options, trees)
      const stream = isBlobId(copy.blobId) ? await open() : null
      if (stream === null) return await failAbsent(store, signal)
      return handOver(stream, signal)
    },
    async stat(copy, signal) {
      begin(copy.reference, signal)
      return isBlobId(copy.blobId) ? await statCopy(store, copy, signal) : { state: 'absent' }
    },
    references: (signal) => listReferences(store, signal),
    async prove(copy, expected, signal) {
      begin(copy.reference, signal)
      return isBlobId(copy.blobId) ? await proveCopy(store, copy, expected, signal) : { ok: false, reason: 'absent' }
    },
    async renew(copy, signal) {
      begin(copy.reference, signal)
      const renewed = isBlobId(copy.blobId) ? await renewCopy(store, copy, signal) : null
      return renewed ?? (await failAbsent(store, signal))
    },
    async remove(copy, signal) {
      begin(copy.reference, signal)
      return isBlobId(copy.blobId) ? await removeCopy(store, copy, signal) : { outcome: 'released' }
    },
    health: (signal) => checkHealth(store.owner, signal),
    space: async () => null,
  }
}

/** Nothing counts as absent unless the network's own bucket confirms it. */
async function failAbsent({ owner }: Store, signal: AbortSignal): Promise<never> {
  await owner.check(signal)
  throw new NetworkError('not_found', "the network's bucket does not have this copy")
}

/** Reads the marker now, to detect an outage that has just begun. An error here concerns all copies. */
async function checkHealth(owner: Owner, signal: AbortSignal): Promise<void> {
  try {
    await owner.check(signal)
  } catch (error) {
    if (error instanceof DOMException && error.name === 'TimeoutError') throw unhealthy(error, 'hanging')
    if (!(error instanceof NetworkError) || error.code === 'unreachable') throw error
    throw unhealthy(error, error.fault === 'hanging' ? 'hanging' : 'failing')
  }
}

function unhealthy(cause: Error, fault: 'hanging' | 'failing'): NetworkError {
  const message = fault === 'hanging' ? 'the bucket does not respond in time' : "the network's bucket is failing"
  return new NetworkError('unreachable', message, { cause, fault })
}

/** Everything that reads need exists: the bytes, which are not read, and the tree of this blob ID and size. */
async function statCopy(store: Store, copy: CopyName, signal: AbortSignal): Promise<ReferenceState> {
  const { bucket, owner, settings } = store
  const content = await headObject(bucket, contentOf(copy), signal)
  const isRead = content && (!hasSidecar(copy.blobId) || (await readTree(store, copy, content.sizeBytes, signal)))
  if (!content || !isRead) {
    await owner.check(signal)
    return { state: 'absent' }
  }
  const expiresAt = settings.lock ? await lockedUntil(bucket, contentOf(copy), signal) : null
  return { state: 'present', sizeBytes: content.sizeBytes, expiresAt }
}

/**
 * Locks a copy from now on where copies are locked. Null: the copy does not exist. A later lock stays. A missing tree
 * does not prevent locking: a proof restores it.
 */
async function renewCopy(
  { bucket, settings: { lock } }: Store,
  copy: CopyName,
  signal: AbortSignal,
): Promise<{ expiresAt: Date | null } | null> {
  const content = contentOf(copy)
  const until = lockEnd(lock)
  if (!lock || until === null) return (await headObject(bucket, content, signal)) && { expiresAt: null }
  const present = await lockedUntil(bucket, content, signal)
  if (present !== null && present >= until) return { expiresAt: present }
  if (!(await lockUntil(bucket, content, lock, until, signal))) return null
  if (hasSidecar(copy.blobId)) await lockUntil(bucket, treeOf(copy), lock, until, signal)
  return { expiresAt: until }
}

/**
 * The billed size of the content's object, plus that of the tree's object. The tree is always in the store's default
 * class.
 */
export function billedBytes(
  { minBilledBytes = 0, storageClass }: Pick<S3Settings, 'minBilledBytes' | 'storageClass'>,
  sizeBytes: number,
): number {
  const tree = dagSize(sizeBytes).sidecarBytes
  const leastOfTree = tree > 0 && storageClass === undefined ? minBilledBytes : 0
  return Math.max(sizeBytes, minBilledBytes) + Math.max(tree, leastOfTree)
}
