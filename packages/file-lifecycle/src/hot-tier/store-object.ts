import {
  AbortMultipartUploadCommand,
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  type S3Client,
  UploadPartCommand,
} from '@aws-sdk/client-s3'

export interface NewObject {
  mimeType: string
  body: AsyncIterable<Uint8Array>
}

/** Ten thousand of them are more than the largest file there can be. */
const PART_BYTES = 8 * 1024 ** 2
/** Of one part, or of the completion, which a store may take minutes for. */
export const PART_TIMEOUT_MS = 300_000

/**
 * Stores a body of any length with the memory of a few parts. When anything fails, nothing is left but, at worst, an
 * open upload.
 */
export async function storeObject(
  send: S3Client['send'],
  object: { Bucket: string; Key: string },
  { mimeType, body }: NewObject,
  abortSignal: AbortSignal,
): Promise<void> {
  const options = { abortSignal, requestTimeout: PART_TIMEOUT_MS }
  const { UploadId } = await send(new CreateMultipartUploadCommand({ ...object, ContentType: mimeType }), options)
  if (!UploadId) throw new Error('The store answered no upload id')
  const upload = { ...object, UploadId }
  try {
    const Parts: { PartNumber: number; ETag: string | undefined }[] = []
    for await (const Body of inParts(body)) {
      const PartNumber = Parts.length + 1
      const { ETag } = await send(new UploadPartCommand({ ...upload, PartNumber, Body }), options)
      Parts.push({ PartNumber, ETag })
    }
    await send(new CompleteMultipartUploadCommand({ ...upload, MultipartUpload: { Parts } }), options)
  } catch (error) {
    // Best effort: whoever stores under this key again aborts what is open first.
    await send(new AbortMultipartUploadCommand(upload)).catch(() => undefined)
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
