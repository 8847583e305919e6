import { createHash } from 'node:crypto'
import { inMultipartUpload } from './in-multipart-upload.ts'
import type { StoreCalls } from './store-calls.ts'

export interface NewObject {
  mimeType: string
  body: AsyncIterable<Uint8Array>
}

/** Ten thousand of them are more than the largest file there can be. */
export const PART_BYTES = 8 * 1024 ** 2

/**
 * Stores a body of any length with the memory of a few parts. When anything fails, nothing is left but, at worst, an
 * open upload. An upload that is gone when it is to be completed may have been completed: whoever calls looks for the object.
 */
export async function storeObject(
  calls: Pick<StoreCalls, 'ask' | 'send'>,
  key: string,
  { mimeType, body }: NewObject,
  signal: AbortSignal,
): Promise<void> {
  await inMultipartUpload(calls, { key, mimeType }, partsOf(calls, key, body, signal), signal)
}

async function* partsOf(
  { send }: Pick<StoreCalls, 'send'>,
  key: string,
  body: AsyncIterable<Uint8Array>,
  signal: AbortSignal,
) {
  for await (const piece of inParts(body)) {
    yield async (query: Record<string, string>) => {
      const sha256 = createHash('sha256').update(piece).digest('hex')
      const sent = { pieces: [piece], sizeBytes: piece.length, sha256 }
      const { headers } = await send('UploadPart', { method: 'PUT', key, query, body: sent }, { signal })
      return String(headers.etag ?? '')
    }
  }
}

/** An empty body is one empty part. */
async function* inParts(body: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer> {
  let chunks: Uint8Array[] = []
  let sizeBytes = 0
  let partNumber = 0
  for await (const chunk of body) {
    chunks.push(chunk)
    sizeBytes += chunk.length
    while (sizeBytes >= PART_BYTES) {
      const all = Buffer.concat(chunks)
      yield all.subarray(0, PART_BYTES)
      partNumber += 1
      chunks = [all.subarray(PART_BYTES)]
      sizeBytes -= PART_BYTES
    }
  }
  if (sizeBytes > 0 || partNumber === 0) yield Buffer.concat(chunks)
}
