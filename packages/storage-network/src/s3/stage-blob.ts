import { addAbortSignal, Readable } from 'node:stream'
import { assertReference } from '../copy-name.ts'
import { NetworkError } from '../errors.ts'
import type { Committed, StagedBlob } from '../storage-network.ts'
import { formatCid } from '../unixfs/cid.ts'
import { ContentDigest, type ContentFacts } from '../verified/content-digest.ts'
import { leavesOf } from '../verified/leaves-of.ts'
import { contentOf, treeOf } from './keys.ts'
import { lockEnd, lockHeaders } from './lock.ts'
import { putObject } from './objects.ts'
import { bytesOf, MAX_BLOB_BYTES, StagedParts } from './staged-parts.ts'
import type { Store } from './store.ts'

export interface StageOptions {
  reference: string
  signal: AbortSignal
}

/** Content smaller than a part waits in memory for its commit. Larger content is a multipart upload, which a sweep can abort. */
export async function stageBlob(
  store: Store,
  body: AsyncIterable<Uint8Array>,
  { reference, signal }: StageOptions,
): Promise<StagedBlob> {
  const { bucket, settings } = store
  const source = body instanceof Readable ? body : Readable.from(body)
  // Without a listener, a body that fails before it is read would crash the process. The loop below throws its error.
  source.on('error', () => undefined)
  const until = lockEnd(settings.lock)
  const headers = { ...lockHeaders(settings.lock, until), ...classHeader(settings.storageClass) }
  const parts = new StagedParts(bucket, reference, headers)
  try {
    signal.throwIfAborted()
    assertReference(reference)
    await store.owner.ensure(signal)
    store.sweepUploads()
    const digest = new ContentDigest()
    for await (const leaf of leavesOf(addAbortSignal(signal, source), () => parts.space())) {
      digest.addLeaf(leaf)
      if (digest.sizeBytes > MAX_BLOB_BYTES)
        throw new NetworkError('too_large', 'the blob is larger than the network accepts')
      await parts.add(leaf, signal)
    }
    await parts.finish(signal)
    return stagedBlob(store, parts, { ...digest.finish(), reference, headers, until, signal })
  } catch (error) {
    await discard(parts).catch(() => undefined) // the sweep deletes leftovers
    throw error
  } finally {
    source.destroy()
  }
}

interface Staging extends ContentFacts {
  reference: string
  headers: Record<string, string>
  until: Date | null
  signal: AbortSignal
}

function stagedBlob(store: Store, parts: StagedParts, staging: Staging): StagedBlob {
  const { sha256, sizeBytes } = staging
  const blobId = formatCid(staging.rootCid)
  let committed: Committed | null = null
  let isDiscarded = false
  const drop = async () => {
    if (committed !== null || isDiscarded) return
    isDiscarded = true
    await discard(parts)
  }
  return {
    ...{ blobId, sha256, sizeBytes, ref: {}, discard: drop, [Symbol.asyncDispose]: drop },
    async commit() {
      if (isDiscarded) throw new NetworkError('staged_lost', 'the staged bytes were discarded')
      committed ??= await commit(store, parts, { ...staging, blobId })
      return committed
    },
  }
}

/** Stores the tree first, because the presence of the content is the commit. An existing copy is replaced, not trusted. */
async function commit(
  { bucket, settings }: Store,
  parts: StagedParts,
  staging: Staging & { blobId: string },
): Promise<Committed> {
  const { signal, headers, until, sidecar } = staging
  const treeHeaders = lockHeaders(settings.lock, until)
  if (sidecar.length > 0) await putObject(bucket, treeOf(staging).key, bytesOf([sidecar]), treeHeaders, signal)
  const version = parts.upload
    ? await parts.upload.complete(signal)
    : await putObject(bucket, contentOf(staging).key, parts.whole(), headers, signal)
  return { expiresAt: until, ref: version === undefined ? {} : { version } }
}

/** Only bytes go to an archive class. The tree is small and needed for every read. */
function classHeader(storageClass: string | undefined): Record<string, string> {
  return storageClass === undefined ? {} : { 'x-amz-storage-class': storageClass }
}

/** Runs even after the caller aborted: its signal does not apply to this cleanup. */
async function discard(parts: StagedParts): Promise<void> {
  await parts.discard(AbortSignal.timeout(30_000))
}
