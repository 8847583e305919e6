import { createHash } from 'node:crypto'
import { completionOf, documentOf, malformed, readUploadId, S3Error, textOf } from '@tideport/s3-client/response'
import { isNamed, type StoreCalls } from './store-calls.ts'

export interface NewObject {
  mimeType: string
  body: AsyncIterable<Uint8Array>
  /** Default: `PART_BYTES`. A part is kept in memory. */
  partBytes?: number
}

/** Ten thousand parts exceed the largest file. */
export const PART_BYTES = 8 * 1024 ** 2

/**
 * Stores a body of any length with the memory of a few parts. A failure leaves at most an open upload. After a
 * completion without a response, the caller has to check for the object.
 */
export async function storeObject(
  calls: Pick<StoreCalls, 'ask' | 'send'>,
  key: string,
  { mimeType, body, partBytes = PART_BYTES }: NewObject,
  signal: AbortSignal,
): Promise<void> {
  await inMultipartUpload(calls, { key, mimeType }, partsOf(calls, key, inParts(body, partBytes), signal), signal)
}

async function* partsOf(
  { send }: Pick<StoreCalls, 'send'>,
  key: string,
  pieces: AsyncIterable<Buffer>,
  signal: AbortSignal,
) {
  for await (const piece of pieces) {
    yield async (query: Record<string, string>) => {
      const sha256 = createHash('sha256').update(piece).digest('hex')
      const sent = { pieces: [piece], sizeBytes: piece.length, sha256 }
      const { headers } = await send('UploadPart', { method: 'PUT', key, query, body: sent }, { signal })
      return String(headers.etag ?? '')
    }
  }
}

/** An empty body is one empty part. */
async function* inParts(body: AsyncIterable<Uint8Array>, partBytes: number): AsyncGenerator<Buffer> {
  let chunks: Uint8Array[] = []
  let sizeBytes = 0
  let partNumber = 0
  for await (const chunk of body) {
    chunks.push(chunk)
    sizeBytes += chunk.length
    while (sizeBytes >= partBytes) {
      const all = Buffer.concat(chunks)
      yield all.subarray(0, partBytes)
      partNumber += 1
      chunks = [all.subarray(partBytes)]
      sizeBytes -= partBytes
    }
  }
  if (sizeBytes > 0 || partNumber === 0) yield Buffer.concat(chunks)
}

export interface CopiedObject {
  /** The bucket and key of the source. */
  source: string
  sizeBytes: number
  mimeType: string
}

/** Sizes of copies in one call: below S3's limit of 5 GiB, because large copies take long. 50 GB are 200 parts. */
export const sizes = { wholeBytes: 256 * 1024 ** 2, partBytes: 256 * 1024 ** 2 }

/** Copies an object inside the store. False: no such object. A failure leaves at most an open upload. */
export async function copyObject(
  calls: Pick<StoreCalls, 'ask' | 'send'>,
  key: string,
  object: CopiedObject,
  signal: AbortSignal,
  { wholeBytes, partBytes } = sizes,
): Promise<boolean> {
  try {
    if (object.sizeBytes <= wholeBytes) await copyWhole(calls, key, object, signal)
    else await copyInParts(calls, key, object, { partBytes, signal })
    return true
  } catch (error) {
    if (isNamed(error, 'NoSuchKey')) return false
    throw error
  }
}

async function copyWhole(
  { send }: Pick<StoreCalls, 'send'>,
  key: string,
  { source }: CopiedObject,
  signal: AbortSignal,
): Promise<void> {
  const headers = { 'x-amz-copy-source': source }
  // A response with status 200 may contain an error.
  await send('CopyObject', { method: 'PUT', key, headers }, { read: documentOf('CopyObjectResult'), signal })
}

async function copyInParts(
  calls: Pick<StoreCalls, 'ask' | 'send'>,
  key: string,
  { source, sizeBytes, mimeType }: CopiedObject,
  { partBytes, signal }: { partBytes: number; signal: AbortSignal },
): Promise<void> {
  const read = documentOf('CopyPartResult')
  const copyRange = (start: number) => async (query: Record<string, string>) => {
    const end = Math.min(start + partBytes, sizeBytes) - 1
    const headers = { 'x-amz-copy-source': source, 'x-amz-copy-source-range': `bytes=${start}-${end}` }
    return etagIn(await calls.send('UploadPartCopy', { method: 'PUT', key, query, headers }, { read, signal }))
  }
  const parts = Array.from({ length: Math.ceil(sizeBytes / partBytes) }, (_, index) => copyRange(index * partBytes))
  await inMultipartUpload(calls, { key, mimeType }, parts, signal)
}

export function etagIn(copied: string): string {
  const etag = textOf(copied, 'ETag')
  if (etag === undefined) throw malformed('has no ETag')
  return etag
}

/** Returns the ID of the upload. */
export function beginUpload(
  ask: StoreCalls['ask'],
  { key, mimeType }: { key: string; mimeType: string },
  signal?: AbortSignal,
): Promise<string> {
  const headers = { 'content-type': mimeType }
  const request = { method: 'POST', key, query: { uploads: '' }, headers } as const
  return ask('CreateMultipartUpload', request, { read: readUploadId, signal })
}

/** Sends one part and returns its ETag. */
type SendPart = (query: { partNumber: string; uploadId: string }) => Promise<string>

/**
 * Sends the parts one after the other. A failure leaves at most an open upload, which the next store under this key
 * aborts. After a completion without a response, the caller has to check for the object.
 */
export async function inMultipartUpload(
  { ask, send }: Pick<StoreCalls, 'ask' | 'send'>,
  { key, mimeType }: { key: string; mimeType: string },
  parts: Iterable<SendPart> | AsyncIterable<SendPart>,
  signal: AbortSignal,
): Promise<void> {
  const uploadId = await beginUpload(ask, { key, mimeType }, signal)
  try {
    const sent: { partNumber: number; etag: string }[] = []
    for await (const sendPart of parts) {
      const partNumber = sent.length + 1
      sent.push({ partNumber, etag: await sendPart({ partNumber: String(partNumber), uploadId }) })
    }
    const headers = { 'content-type': 'application/xml' }
    const completion = { method: 'POST', key, query: { uploadId }, headers, body: completionOf(sent) } as const
    const read = documentOf('CompleteMultipartUploadResult')
    await send('CompleteMultipartUpload', completion, { read, signal }).catch((error: unknown) => {
      // An earlier response may have been lost. Only the object proves the completion.
      if (!isNamed(error, 'NoSuchUpload')) throw error
    })
  } catch (error) {
    await ask('AbortMultipartUpload', { method: 'DELETE', key, query: { uploadId } }).catch(() => undefined)
    throw error
  }
}

export interface UploadedPart {
  partNumber: number
  sizeBytes: number
  etag: string
}

export function readPart(part: string): UploadedPart {
  const [partNumber, sizeBytes, etag] = ['PartNumber', 'Size', 'ETag'].map((name) => textOf(part, name))
  return { partNumber: Number(partNumber ?? 0), sizeBytes: Number(sizeBytes ?? -1), etag: etag ?? '' }
}

/** The object stays in the bucket, outside the keys of files, so later tests need only one PUT. */
const TRIED_KEY = 'tideport-put-once'

/** Another object already exists, or is being created. */
const IS_THERE = [409, 412]

/** Whether the store obeys `If-None-Match` of a PUT. Remembers the result; tests again after a failure. */
export function canPutOnce(ask: StoreCalls['ask']): () => Promise<boolean> {
  let known: Promise<boolean> | undefined
  return () => {
    known ??= find(ask).catch((error: unknown) => {
      known = undefined
      throw error
    })
    return known
  }
}

/** The very first PUT creates the object. The store must refuse the second one. */
async function find(ask: StoreCalls['ask']): Promise<boolean> {
  return (await put(ask)) === 'there' || (await put(ask)) === 'there'
}

async function put(ask: StoreCalls['ask']): Promise<'made' | 'there' | 'refused'> {
  const headers = { 'content-type': 'text/plain', 'if-none-match': '*' }
  try {
    await ask('PutObject', { method: 'PUT', key: TRIED_KEY, headers, body: 'x' })
    return 'made'
  } catch (error) {
    if (isNotImplemented(error)) return 'refused'
    if (!(error instanceof S3Error)) throw error
    return IS_THERE.includes(error.status) ? 'there' : 'refused'
  }
}

/** Stores return 501 both for a failure and for an unknown header. */
function isNotImplemented(error: unknown): boolean {
  const { cause } = error as { cause?: unknown }
  return cause instanceof S3Error && cause.status === 501
}
