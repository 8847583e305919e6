import { addAbortSignal, Readable } from 'node:stream'
import { assertReference } from '../copy-name.ts'
import { NetworkError } from '../errors.ts'
import type { StagedBlob } from '../storage-network.ts'
import { sizeOf } from './aggregator.ts'
import { maxBlobBytes, tooLarge } from './store-bytes.ts'
import { type StoredCopy, storeCopy } from './store-copy.ts'
import type { Walrus } from './walrus.ts'

export interface StageOptions {
  reference: string
  sizeBytes?: number
  signal: AbortSignal
}

/** Takes bytes in one pass. Stored bytes cannot be discarded, and only a row commits them. */
export async function stageBlob(
  walrus: Walrus,
  body: AsyncIterable<Uint8Array>,
  { reference, sizeBytes, signal }: StageOptions,
): Promise<StagedBlob> {
  const source = body instanceof Readable ? body : Readable.from(body)
  // Without a listener, a body that fails before it is read would crash the process. Its reader throws the error.
  source.on('error', () => undefined)
  try {
    signal.throwIfAborted()
    assertReference(reference)
    if (sizeBytes !== undefined && sizeBytes > maxBlobBytes(walrus.settings)) throw tooLarge()
    await walrus.owner.ensure(signal)
    return staged(walrus, await storeCopy(walrus, addAbortSignal(signal, source), { sizeBytes, signal }), signal)
  } finally {
    source.destroy()
  }
}

function staged(walrus: Walrus, copy: StoredCopy, signal: AbortSignal): StagedBlob {
  const { blobId, sha256, sizeBytes, ref, expiresAt } = copy
  let state: 'staged' | 'committed' | 'discarded' = 'staged'
  const discard = async () => {
    if (state === 'staged') state = 'discarded'
  }
  return {
    ...{ blobId, sha256, sizeBytes, ref, discard, [Symbol.asyncDispose]: discard },
    async commit() {
      if (state === 'discarded') throw new NetworkError('staged_lost', 'the staged bytes were discarded')
      if (state === 'staged') await assertThere(walrus, copy, signal)
      state = 'committed'
      return { expiresAt }
    },
  }
}

/** A publisher's response is no proof. An aggregator must also find the blob, which can take a while. */
async function assertThere({ aggregators, settings }: Walrus, copy: StoredCopy, signal: AbortSignal): Promise<void> {
  const { blobId, sizeBytes } = copy
  const patienceMs = settings.propagationSeconds * 1000
  const found = await sizeOf(aggregators, blobId, { signal, sizeBytes, patienceMs })
  if (found !== sizeBytes) throw new NetworkError('staged_lost', 'no aggregator has the blob that a publisher stored')
}
