import { createHash } from 'node:crypto'
import { documentOf } from '@tideport/s3-client/document'
import { completionOf, readUploadId } from '@tideport/s3-client/multipart'
import { isNamed, type StoreCalls } from './store-calls.ts'

export interface NewObject {
  mimeType: string
  body: AsyncIterable<Uint8Array>
}

/** Ten thousand of them are more than the largest file there can be. */
const PART_BYTES = 8 * 1024 ** 2

/**
 * Stores a body of any length with the memory of a few parts. When anything fails, nothing is left but, at worst, an
 * open upload. An upload that is gone when it is to be completed may have been completed: whoever calls looks for the object.
 */
export async function storeObject(
  { ask, send }: Pick<StoreCalls, 'ask' | 'send'>,
  key: string,
  { mimeType, body }: NewObject,
  signal: AbortSignal,
): Promise<void> {
  const begin = { method: 'POST', key, query: { uploads: '' }, headers: { 'content-type': mimeType } } as const
  const uploadId = await ask('CreateMultipartUpload', begin, { read: readUploadId, signal })
  try {
    const parts: { partNumber: number; etag: string }[] = []
    for await (const piece of inParts(body)) {
      const partNumber = parts.length + 1
      const sha256 = createHash('sha256').update(piece).digest('hex')
      const query = { partNumber: String(partNumber), uploadId }
      const sent = { pieces: [piece], sizeBytes: piece.length, sha256 }
      const { headers } = await send('UploadPart', { method: 'PUT', key, query, body: sent }, { signal })
      parts.push({ partNumber, etag: String(headers.etag ?? '') })
    }
    const headers = { 'content-type': 'application/xml' }
    const completion = { method: 'POST', key, query: { uploadId }, headers, body: completionOf(parts) } as const
    const read = documentOf('CompleteMultipartUploadResult')
    await send('CompleteMultipartUpload', completion, { read, signal }).catch((error: unknown) => {
      // Its first answer may have been lost. Only the object tells.
      if (!isNamed(error, 'NoSuchUpload')) throw error
    })
  } catch (error) {
    // Best effort: whoever stores under this key again aborts what is open first.
    await ask('AbortMultipartUpload', { method: 'DELETE', key, query: { uploadId } }).catch(() => undefined)
    throw error
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
