import { createHash } from 'node:crypto'
import { addAbortSignal } from 'node:stream'
import { NetworkError } from '../errors.ts'
import type { Proof } from '../storage-network.ts'
import { openCopy } from './open-blob.ts'

/** Reads one file's copy in full: every leaf against the tree, the whole against what the caller remembers. */
export async function proveCopy(
  dir: string,
  copy: { blobId: string; fileId: string },
  expected: { sha256: string; sizeBytes: number },
  signal: AbortSignal,
): Promise<Proof> {
  const whole = createHash('sha256')
  let sizeBytes = 0
  try {
    const stream = addAbortSignal(signal, await openCopy(dir, copy.blobId, copy.fileId, undefined))
    for await (const piece of stream as AsyncIterable<Buffer>) {
      whole.update(piece)
      sizeBytes += piece.length
    }
  } catch (error) {
    if (!(error instanceof NetworkError)) throw error
    if (error.code === 'not_found') return { ok: false, reason: 'absent' }
    if (error.code === 'integrity') return { ok: false, reason: 'mismatch' }
    throw error
  }
  const same = sizeBytes === expected.sizeBytes && whole.digest('hex') === expected.sha256
  return same ? { ok: true, expiresAt: null } : { ok: false, reason: 'mismatch' }
}
