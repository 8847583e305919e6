import { documentOf } from '@tideport/s3-client/document'
import { completionOf, readUploadId } from '@tideport/s3-client/multipart'
import { isNamed, type StoreCalls } from './store-calls.ts'

/** Sends one part, given its number and the query that names it; resolves to its ETag. */
type SendPart = (query: { partNumber: string; uploadId: string }) => Promise<string>

/**
 * Makes an object of parts, which are sent one after the other. When anything fails, nothing is left but, at worst, an open
 * upload: whoever stores under this key again aborts what is open first. An upload that is gone when it is to be completed
 * may have been completed: whoever calls looks for the object.
 */
export async function inMultipartUpload(
  { ask, send }: Pick<StoreCalls, 'ask' | 'send'>,
  { key, mimeType }: { key: string; mimeType: string },
  parts: Iterable<SendPart> | AsyncIterable<SendPart>,
  signal: AbortSignal,
): Promise<void> {
  const begin = { method: 'POST', key, query: { uploads: '' }, headers: { 'content-type': mimeType } } as const
  const uploadId = await ask('CreateMultipartUpload', begin, { read: readUploadId, signal })
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
      // Its first answer may have been lost. Only the object tells.
      if (!isNamed(error, 'NoSuchUpload')) throw error
    })
  } catch (error) {
    await ask('AbortMultipartUpload', { method: 'DELETE', key, query: { uploadId } }).catch(() => undefined)
    throw error
  }
}
