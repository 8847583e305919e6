import { isBlobId } from '../copy-name.ts'
import type { ReferenceState } from '../storage-network.ts'
import { parseCid } from '../unixfs/cid.ts'
import { hasSidecar, verifySidecar } from '../verified/sidecar.ts'
import { entryPath } from './disk.ts'
import { openFile } from './open-file.ts'
import { readSidecar } from './read-sidecar.ts'
import type { Volume } from './volume.ts'

/**
 * All that a copy is read by is there: a content that opens, and a sidecar that is the one of this blob id and this
 * size, block for block. The content's bytes are not read.
 */
export async function statCopy(volume: Volume, blobId: string, reference: string): Promise<ReferenceState> {
  const sizeBytes = isBlobId(blobId) ? await sizeOf(volume, entryPath(volume.dir, blobId, reference), blobId) : null
  if (sizeBytes !== null) return { state: 'present', sizeBytes, expiresAt: null }
  await volume.check()
  return { state: 'absent' }
}

async function sizeOf({ reads }: Volume, path: string, blobId: string): Promise<number | null> {
  await using file = await openFile(reads, path)
  if (file === null) return null
  const content = await file.stat()
  if (!content.isFile()) return null
  if (!hasSidecar(blobId)) return content.size
  const [rootCid, sidecar] = [parseCid(blobId), await readSidecar(reads, path, content.size)]
  return rootCid && sidecar && verifySidecar(rootCid, content.size, sidecar) ? content.size : null
}
