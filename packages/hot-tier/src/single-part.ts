import { type Answer, documentOf, elementsOf, malformed, S3Error, textOf } from '@tideport/s3-client/response'
import type { BytesOnce, S3Request } from '@tideport/s3-client/s3-client'
import { isNamed, type StoreCalls, storeLimits, unavailable } from './store-calls.ts'
import { etagIn, readPart, type UploadedPart } from './write-object.ts'

/** A part of an upload at the store. */
export interface PartPlace {
  key: string
  uploadId: string
  partNumber: number
}

const queryOf = ({ partNumber, uploadId }: PartPlace) => ({ partNumber: String(partNumber), uploadId })

/**
 * Sends a part while its bytes are read, and returns its ETag; null: no such upload. The store keeps nothing of a stream
 * that fails. Errors of the stream pass unchanged.
 */
export async function pourPart(
  calls: Pick<StoreCalls, 'pour'>,
  place: PartPlace,
  body: BytesOnce,
  signal: AbortSignal,
): Promise<string | null> {
  try {
    return await pourBytes(calls, 'UploadPart', { method: 'PUT', key: place.key, query: queryOf(place) }, body, signal)
  } catch (error) {
    // Other refusals count as a failure of the store.
    if (error instanceof Error && isNamed(error.cause, 'NoSuchUpload')) return null
    throw error
  }
}

/** The same for an object, at most as large as one PUT of the store. */
export async function pourObject(
  calls: Pick<StoreCalls, 'pour'>,
  { key, mimeType }: { key: string; mimeType: string },
  body: BytesOnce,
  signal: AbortSignal,
): Promise<void> {
  await pourBytes(calls, 'PutObject', { method: 'PUT', key, headers: { 'content-type': mimeType } }, body, signal)
}

async function pourBytes(
  { pour }: Pick<StoreCalls, 'pour'>,
  operation: string,
  request: Omit<S3Request, 'body'>,
  body: BytesOnce,
  signal: AbortSignal,
): Promise<string> {
  const state: Pouring = {}
  const late = new AbortController()
  const sent = { sizeBytes: body.sizeBytes, stream: watched(body.stream, state, () => late.abort()) }
  const options = { read: (answer: Answer) => answer, signal: AbortSignal.any([signal, late.signal]) }
  try {
    const { headers } = await pour(operation, { ...request, body: sent }, options)
    if (headers.etag === undefined) throw unavailable(malformed('has no ETag'))
    return String(headers.etag)
  } catch (error) {
    if ('error' in state) throw state.error
    throw late.signal.aborted || error instanceof S3Error ? unavailable(error) : error
  } finally {
    clearTimeout(state.timer)
  }
}

interface Pouring {
  /** Of the stream. */
  error?: unknown
  timer?: NodeJS.Timeout
}

/** Limits the time from the last byte to the response. */
async function* watched(
  stream: AsyncIterable<Uint8Array>,
  state: Pouring,
  onLate: () => void,
): AsyncGenerator<Uint8Array> {
  try {
    yield* stream
  } catch (error) {
    state.error = error
    throw error
  }
  state.timer = setTimeout(onLate, storeLimits.pouredTimeoutMs)
}

/** Copies bytes of an object to a part inside the store, and returns its ETag; null: no such upload or object. */
export async function copyToPart(
  { send }: Pick<StoreCalls, 'send'>,
  place: PartPlace,
  { source, range }: { source: string; range: { start: number; end: number } },
  signal: AbortSignal,
): Promise<string | null> {
  const headers = { 'x-amz-copy-source': source, 'x-amz-copy-source-range': `bytes=${range.start}-${range.end}` }
  const request = { method: 'PUT', key: place.key, query: queryOf(place), headers } as const
  try {
    return etagIn(await send('UploadPartCopy', request, { read: documentOf('CopyPartResult'), signal }))
  } catch (error) {
    if (isNamed(error, 'NoSuchUpload') || isNamed(error, 'NoSuchKey')) return null
    throw error
  }
}

/** The part as the store has it now. Null: no such part, or no such upload. */
export async function findPart({ ask }: Pick<StoreCalls, 'ask'>, place: PartPlace): Promise<UploadedPart | null> {
  const { key, uploadId, partNumber } = place
  const query = { uploadId, 'part-number-marker': String(partNumber - 1), 'max-parts': '1' }
  const read = documentOf('ListPartsResult')
  const page = await ask('ListParts', { method: 'GET', key, query }, { read }).catch((error: unknown) => {
    if (isNamed(error, 'NoSuchUpload')) return null
    throw error
  })
  if (page === null) return null
  for (const part of elementsOf(page, 'Part')) {
    if (textOf(part, 'PartNumber') === String(partNumber)) return readPart(part)
  }
  return null
}
