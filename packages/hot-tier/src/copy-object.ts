import { documentOf } from '@tideport/s3-client/document'
import { malformed } from '@tideport/s3-client/s3-error'
import { textOf } from '@tideport/s3-client/xml'
import { inMultipartUpload } from './in-multipart-upload.ts'
import { isNamed, type StoreCalls } from './store-calls.ts'

export interface CopiedObject {
  /** The bucket and key of the bytes that are there. */
  source: string
  sizeBytes: number
  mimeType: string
}

/** What a store copies in one call, of which S3 itself allows 5 GiB and takes its time; 50 GB are two hundred parts. */
export const sizes = { wholeBytes: 256 * 1024 ** 2, partBytes: 256 * 1024 ** 2 }

/**
 * Has the store copy an object of its own under another key, whose bytes do not come by us. False: it has no such object.
 * When anything fails, nothing is left but, at worst, an open upload.
 */
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
  // An error may come with status 200: the document tells.
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
    const part = await calls.send('UploadPartCopy', { method: 'PUT', key, query, headers }, { read, signal })
    const etag = textOf(part, 'ETag')
    if (etag === undefined) throw malformed('has no ETag')
    return etag
  }
  const parts = Array.from({ length: Math.ceil(sizeBytes / partBytes) }, (_, index) => copyRange(index * partBytes))
  await inMultipartUpload(calls, { key, mimeType }, parts, signal)
}
