import { access, stat } from 'node:fs/promises'
import type { ReferenceState } from '../storage-network.ts'
import { assertDirectoryIsThere, entryPath, ifExists, isBlobId, sidecarPath } from './disk.ts'

/** Content and sidecar are there: a look at names and size, not at bytes. */
export async function statCopy(dir: string, blobId: string, fileId: string): Promise<ReferenceState> {
  if (isBlobId(blobId)) {
    const path = entryPath(dir, blobId, fileId)
    const entry = await ifExists(stat(path))
    const sidecar = entry && (await ifExists(access(sidecarPath(path)).then(() => true)))
    if (entry && sidecar) return { state: 'present', sizeBytes: entry.size, expiresAt: null }
  }
  await assertDirectoryIsThere(dir)
  return { state: 'absent' }
}
