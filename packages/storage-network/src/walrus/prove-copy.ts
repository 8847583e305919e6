import type { CopyName, Mended, Proof } from '../storage-network.ts'
import type { ContentFacts } from '../verified/content-digest.ts'
import { digestOf } from '../verified/streamed-content.ts'
import { isNotFound, openAt } from './aggregator.ts'
import { EndpointError, silenceError } from './failure.ts'
import { answerOf } from './open-blob.ts'
import { readTree } from './read-tree.ts'
import type { Remembered } from './remembered.ts'
import { storeWhole } from './store-bytes.ts'
import type { Walrus } from './walrus.ts'

/** Reads one copy in full. `mismatch` only when no aggregator has the right bytes. Stores a missing tree again. */
export async function proveCopy(
  walrus: Walrus,
  { blobId }: CopyName,
  remembered: Remembered,
  expected: { sha256: string; sizeBytes: number },
  signal: AbortSignal,
): Promise<Proof> {
  try {
    const content = await readBack(walrus, blobId, remembered, signal)
    if (content.sha256 !== expected.sha256 || content.sizeBytes !== expected.sizeBytes) {
      return { ok: false, reason: 'mismatch' }
    }
    const mended = await mendTree(walrus, remembered, content, signal)
    return { ok: true, expiresAt: remembered.expiresAt, ...(mended.length > 0 && { mended }) }
  } catch (error) {
    const isDamaged = error instanceof EndpointError && error.code === 'integrity'
    if (!isDamaged && !isNotFound(error)) throw error
    // A proxy can respond instead of Walrus, with a page of its own.
    await walrus.owner.check(signal)
    return { ok: false, reason: isDamaged ? 'mismatch' : 'absent' }
  }
}

async function readBack(
  { aggregators }: Walrus,
  blobId: string,
  { sizeBytes, rootCid }: Remembered,
  signal: AbortSignal,
): Promise<ContentFacts> {
  return await aggregators.first(async (endpoint) => {
    const { body, sizeBytes: found } = await openAt(endpoint, blobId, { sizeBytes, signal })
    const content = found === sizeBytes ? await digestOf(answerOf(body), signal).catch(ofOne) : null
    body.destroy()
    if (content?.rootCid.equals(rootCid)) return content
    throw new EndpointError({ code: 'integrity', says: 'a copy is damaged', elsewhere: true })
  })
}

function ofOne(error: unknown): never {
  throw error instanceof EndpointError || isAbort(error) ? error : silenceError('the aggregator', error)
}

const isAbort = (error: unknown) => (error as Error).name === 'AbortError' || (error as Error).name === 'TimeoutError'

/** Equal bytes have equal IDs, so the row still names the copy. */
async function mendTree(
  walrus: Walrus,
  remembered: Remembered,
  { sidecar }: ContentFacts,
  signal: AbortSignal,
): Promise<Mended[]> {
  if ((await readTree(walrus, remembered, signal)) !== null) return []
  await storeWhole(walrus, sidecar, signal)
  return ['tree']
}
