import type { CopyName, Proof } from '../storage-network.ts'
import { formatCid } from '../unixfs/cid.ts'
import { UNIXFS_V1_2025 } from '../unixfs/dag-builder.ts'
import { ContentDigest, type ContentFacts } from '../verified/content-digest.ts'
import { countLeaves, leafSize } from '../verified/sidecar.ts'
import { entryPath } from './disk.ts'
import { mendCopy } from './mend-copy.ts'
import { type OpenFile, openFile } from './open-file.ts'
import type { Volume } from './volume.ts'

/** Reads content and sidecar in full, and proves the content by a new tree. Repairs the sidecar and extra bytes. */
export async function proveCopy(
  volume: Volume,
  copy: CopyName,
  expected: { sha256: string; sizeBytes: number },
  signal: AbortSignal,
): Promise<Proof> {
  await using file = await openFile(volume.reads, entryPath(volume.dir, copy.blobId, copy.reference))
  if (file === null) return await absent(volume)
  const found = await file.stat()
  const content = found.isFile() ? await readContent(file, expected.sizeBytes, signal) : null
  if (content === null || formatCid(content.rootCid) !== copy.blobId || content.sha256 !== expected.sha256) {
    return { ok: false, reason: 'mismatch' }
  }
  signal.throwIfAborted()
  const mended = await mendCopy(volume, copy, content)
  if (mended === null) return await absent(volume)
  return { ok: true, expiresAt: null, ...(mended.length > 0 && { mended }) }
}

async function absent(volume: Volume): Promise<Proof> {
  await volume.check()
  return { ok: false, reason: 'absent' }
}

/** The facts of the first `sizeBytes` bytes, with the memory of one leaf. Null: the file is shorter. */
async function readContent(file: OpenFile, sizeBytes: number, signal: AbortSignal): Promise<ContentFacts | null> {
  const digest = new ContentDigest()
  const space = Buffer.allocUnsafeSlow(Math.min(sizeBytes, UNIXFS_V1_2025.leafBytes))
  for (let index = 0; index < countLeaves(sizeBytes); index++) {
    signal.throwIfAborted()
    const leaf = space.subarray(0, leafSize(index, sizeBytes))
    if (!(await file.fill(leaf, index * UNIXFS_V1_2025.leafBytes))) return null
    digest.addLeaf(leaf)
  }
  return digest.finish()
}
