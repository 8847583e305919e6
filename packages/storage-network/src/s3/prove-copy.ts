import type { CopyName, Mended, Proof } from '../storage-network.ts'
import { formatCid } from '../unixfs/cid.ts'
import type { ContentFacts } from '../verified/content-digest.ts'
import { digestOf } from '../verified/streamed-content.ts'
import { failureOf } from './failure.ts'
import { contentOf, treeOf } from './keys.ts'
import { lockEnd, lockedUntil, lockHeaders } from './lock.ts'
import { getObject, putObject } from './objects.ts'
import { readSidecar } from './open-blob.ts'
import { failRead } from './restore.ts'
import { bytesOf } from './staged-parts.ts'
import type { Store } from './store.ts'

/** Reads one copy in full and proves it by a new tree. Repairs a stored tree that is wrong or missing. */
export async function proveCopy(
  store: Store,
  copy: CopyName,
  expected: { sha256: string; sizeBytes: number },
  signal: AbortSignal,
): Promise<Proof> {
  const { bucket, owner, settings } = store
  const object = contentOf(copy)
  const found = await getObject(bucket, object, signal).catch((error: unknown) =>
    failRead(bucket, object, error, settings, signal),
  )
  if (found === null) {
    await owner.check(signal)
    return { ok: false, reason: 'absent' }
  }
  const content =
    found.sizeBytes === expected.sizeBytes ? await digestOf({ body: found.body, failureOf }, signal) : null
  found.body.destroy()
  if (content === null || formatCid(content.rootCid) !== copy.blobId || content.sha256 !== expected.sha256) {
    // A proxy can respond instead of the bucket, with 200 and a page of its own.
    await owner.check(signal)
    return { ok: false, reason: 'mismatch' }
  }
  const mended = await mendTree(store, copy, content, signal)
  if (mended === null) return { ok: false, reason: 'absent' }
  const expiresAt = settings.lock ? await lockedUntil(bucket, object, signal) : null
  return { ok: true, expiresAt, ...(mended.length > 0 && { mended }) }
}

/** A concurrent removal deletes the content first, so the tree is deleted too. Null: the copy was removed. */
async function mendTree(
  { bucket, settings }: Store,
  copy: CopyName,
  { sizeBytes, sidecar }: ContentFacts,
  signal: AbortSignal,
): Promise<Mended[] | null> {
  if (sidecar.length === 0) return []
  const held = await readSidecar({ bucket }, copy, sizeBytes, signal)
  if (held?.equals(sidecar)) return []
  await putObject(
    bucket,
    treeOf(copy).key,
    bytesOf([sidecar]),
    lockHeaders(settings.lock, lockEnd(settings.lock)),
    signal,
  )
  return ['tree']
}
