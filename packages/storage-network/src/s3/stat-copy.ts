import type { CopyName, ReferenceState } from '../storage-network.ts'
import { hasSidecar } from '../verified/sidecar.ts'
import { contentOf } from './keys.ts'
import { lockedUntil } from './lock.ts'
import { headObject } from './objects.ts'
import { readTree } from './open-blob.ts'
import type { Store } from './store.ts'

/** All that a copy is read by is there: its bytes, which are not read, and the tree of this blob id and this size. */
export async function statCopy(store: Store, copy: CopyName, signal: AbortSignal): Promise<ReferenceState> {
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
