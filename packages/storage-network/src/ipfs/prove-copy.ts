import { NetworkError } from '../errors.ts'
import type { CopyName, Proof } from '../storage-network.ts'
import { DAG_PB, digestOf as digestOfCid, formatCid, parseCid } from '../unixfs/cid.ts'
import { decodeFileNode } from '../unixfs/file-node.ts'
import { digestOf } from '../verified/streamed-content.ts'
import { forgetDamaged, readBlock } from './blocks.ts'
import { findCopy, treeOf } from './find-copy.ts'
import type { Kubo } from './kubo.ts'
import { readContent } from './open-blob.ts'

const MISMATCH: Proof = { ok: false, reason: 'mismatch' }

/** Reads one copy in full and proves it by a new tree. Makes the node forget damaged blocks. */
export async function proveCopy(
  kubo: Kubo,
  copy: CopyName,
  expected: { sha256: string; sizeBytes: number },
  signal: AbortSignal,
): Promise<Proof> {
  const found = await findCopy(kubo, copy, signal)
  if (found === 'absent') {
    await kubo.owner.check(signal)
    return { ok: false, reason: 'absent' }
  }
  if (found === 'foreign') return MISMATCH
  const content = await readContent(kubo.rpc, copy.blobId, signal)
    .then((answer) => digestOf(answer, signal))
    .catch(unlessOfCopy)
  const isWhole = !(content instanceof NetworkError) && formatCid(content.rootCid) === copy.blobId
  // Kubo ignores damage that stops a verifying reader.
  if (isWhole && (await treeOf(kubo.rpc, copy.blobId, signal)) !== null) {
    const isExpected = content.sha256 === expected.sha256 && content.sizeBytes === expected.sizeBytes
    return isExpected ? { ok: true, expiresAt: null } : MISMATCH
  }
  const isIntact = await forgetDamage(kubo, parseCid(copy.blobId), signal)
  if (isIntact && content instanceof NetworkError) throw content
  return MISMATCH
}

/** Kubo fails in many ways on damaged blocks. */
function unlessOfCopy(error: unknown): NetworkError {
  const isOfCopy = error instanceof NetworkError && (error.code === 'integrity' || error.code === 'copy_failed')
  if (isOfCopy && error.fault === undefined) return error
  throw error
}

/** Whether every block existed and matched its ID. The node has deleted the others, except doubtful ones. */
async function forgetDamage(kubo: Kubo, cid: Buffer | null, signal: AbortSignal): Promise<boolean> {
  if (cid === null) return false
  const digest = digestOfCid(cid)
  if (!(await forgetDamaged(kubo, digest, signal))) return false
  if (cid[1] !== DAG_PB) return true
  const node = decodeFileNode((await readBlock(kubo.rpc, digest, signal)) ?? Buffer.alloc(0))
  let isIntact = node !== null
  for (const link of node?.links ?? []) isIntact = (await forgetDamage(kubo, link.cid, signal)) && isIntact
  return isIntact
}
