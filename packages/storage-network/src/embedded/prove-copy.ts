import { createHash } from 'node:crypto'
import { NetworkError } from '../errors.ts'
import type { CopyName, Proof } from '../storage-network.ts'
import { UNIXFS_V1_2025 } from '../unixfs/dag-builder.ts'
import { type Entry, openEntry, readLeaf } from './entry.ts'
import { countLeaves } from './sidecar.ts'
import type { Volume } from './volume.ts'

/** Reads one copy in full: every leaf against the tree, the whole against what the caller remembers. */
export async function proveCopy(
  volume: Volume,
  copy: CopyName,
  expected: { sha256: string; sizeBytes: number },
  signal: AbortSignal,
): Promise<Proof> {
  try {
    const entry = await openEntry(volume, copy.blobId, copy.reference)
    if (entry === null) {
      await volume.check()
      return { ok: false, reason: 'absent' }
    }
    await using _open = entry
    const same = entry.sizeBytes === expected.sizeBytes && (await hashContent(entry, signal)) === expected.sha256
    return same ? { ok: true, expiresAt: null } : { ok: false, reason: 'mismatch' }
  } catch (error) {
    if (error instanceof NetworkError && error.code === 'integrity') return { ok: false, reason: 'mismatch' }
    throw error
  }
}

/** SHA-256 of all bytes, in lower-case hex, at the cost of one leaf's memory. */
async function hashContent(entry: Entry, signal: AbortSignal): Promise<string> {
  const whole = createHash('sha256')
  const space = Buffer.allocUnsafeSlow(UNIXFS_V1_2025.leafBytes)
  for (let index = 0; index < countLeaves(entry.sizeBytes); index++) {
    signal.throwIfAborted()
    whole.update(await readLeaf(entry, index, space))
  }
  return whole.digest('hex')
}
