import type { CopyName } from '../storage-network.ts'
import { hasSidecar } from '../verified/sidecar.ts'
import { contentOf, treeOf } from './keys.ts'
import { lockEnd, lockedUntil, lockUntil } from './lock.ts'
import { headObject } from './objects.ts'
import type { Store } from './store.ts'

/**
 * Locks a copy anew, from now on, where copies are locked; else only looks for it. Null: it is not there. A lock that ends
 * later already stays, such as of before the settings said fewer days: no store would shorten it. A tree that is gone keeps
 * no bytes from being locked: a proof makes it anew.
 */
export async function renewCopy(
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
