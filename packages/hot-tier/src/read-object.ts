import { createHash, getFips, hash } from 'node:crypto'
import { Readable } from 'node:stream'
import { type Answer, documentOf, elementsOf, malformed, textOf } from '@tideport/s3-client/response'
import type { OpenAnswer } from '@tideport/s3-client/s3-client'
import { isNamed, type StoreCalls, unavailable } from './store-calls.ts'
import { PART_BYTES, sizes, storeObject } from './write-object.ts'

/** The expected size, and the wanted range, inclusive. */
export interface WantedBytes {
  sizeBytes: number
  range?: { start: number; end: number } | undefined
}

type Calls = StoreCalls

/**
 * The size in the bucket's list; null: not listed. Anything may return 404 for an unavailable store, but only the store
 * lists its bucket.
 */
export async function findListed(
  calls: Pick<Calls, 'ask'>,
  key: string,
  signal: AbortSignal | undefined,
): Promise<number | null> {
  const found = await findInList(calls, key, signal)
  return found === undefined ? null : Number(textOf(found, 'Size') ?? -1)
}

async function findInList({ ask }: Pick<Calls, 'ask'>, key: string, signal: AbortSignal | undefined) {
  const query = { 'list-type': '2', prefix: key, 'max-keys': '1' }
  const read = documentOf('ListBucketResult')
  const page = await ask('ListObjectsV2', { method: 'GET', query }, { read, signal })
  return [...elementsOf(page, 'Contents')].find((object) => textOf(object, 'Key') === key)
}

/** Opens an object's bytes. An absence or size that the bucket's list contradicts came from another responder. */
export async function openObject(
  calls: Pick<Calls, 'ask' | 'open'>,
  key: string,
  wanted: WantedBytes | undefined,
  signal: AbortSignal,
): Promise<Readable | null> {
  const range = wanted?.range
  const headers = range && { range: `bytes=${range.start}-${range.end}` }
  const answer = await calls
    .open('GetObject', { method: 'GET', key, ...(headers && { headers }) }, signal)
    .catch((error: unknown) => {
      if (isNamed(error, 'NoSuchKey')) return error as Error
      throw error
    })
  if (answer instanceof Error) {
    if ((await findListed(calls, key, signal)) !== null) throw unavailable(answer)
    return null
  }
  const { body } = answer
  // Without a listener, a body that fails before it is read would crash the process.
  body.on('error', () => undefined)
  const sizeBytes = sizeIn(answer, range)
  if (wanted === undefined || sizeBytes === wanted.sizeBytes) return body
  try {
    if (sizeBytes !== null && (await findListed(calls, key, signal)) === sizeBytes) return body
  } catch (error) {
    body.destroy()
    throw error
  }
  body.destroy()
  throw unavailable(malformed('does not have the expected size or range'))
}

/** The complete object's size; null when the response is not for this range. */
function sizeIn({ status, headers }: OpenAnswer, range: WantedBytes['range']): number | null {
  if (range === undefined) return status === 200 ? Number(headers['content-length']) : null
  const told = /^bytes (\d+)-\d+\/(\d+)$/.exec(String(headers['content-range']))
  return status === 206 && Number(told?.[1]) === range.start ? Number(told?.[2]) : null
}

/** Lower-case hex; null: nothing to compare. */
export interface StoredDigests {
  sha256: string | null
  /** The ETag, if it may be the MD5 of all bytes, or of the MD5s of `parts`. */
  md5: string | null
  parts: number | null
}

const SHA256 = /^[A-Za-z0-9+/]{43}=$/
const MD5_ETAG = /^"?([0-9a-f]{32})(?:-(\d+))?"?$/i

/**
 * Uses its own request, so the response with the bytes does not prove itself. Without a digest in HEAD, the bucket's
 * list has to confirm the ETag. Empty for an object that does not exist.
 */
export async function readDigests(calls: Pick<Calls, 'ask'>, key: string, signal: AbortSignal): Promise<StoredDigests> {
  const headers = { 'x-amz-checksum-mode': 'ENABLED' }
  const found = await calls.ask('HeadObject', { method: 'HEAD', key, headers }, { signal }).catch((error: unknown) => {
    if (isNamed(error, 'NotFound')) return { headers: {} }
    throw error
  })
  const digests = digestsIn(found.headers)
  if (digests.sha256 !== null || digests.md5 !== null || isByKeyService(found.headers)) return digests
  const listed = await findInList(calls, key, signal)
  return digestsIn({ etag: listed && textOf(listed, 'ETag') })
}

/** Whether the store uses MD5 for ETags of new objects. Objects stored under earlier settings may differ. */
export async function hasMd5ETags(
  calls: Pick<Calls, 'ask' | 'send'>,
  form: 'whole' | 'parts',
  signal: AbortSignal,
): Promise<boolean> {
  const [key, body, mimeType] = [`tideport-etag-${form}`, 'x', 'text/plain']
  const headers = { 'content-type': mimeType }
  if (form === 'whole') await calls.ask('PutObject', { method: 'PUT', key, headers, body }, { signal })
  else await storeObject(calls, key, { mimeType, body: Readable.from([Buffer.from(body)]) }, signal)
  const { md5, parts } = await readDigests(calls, key, signal)
  if (form === 'whole') return parts === null && md5 === hash('md5', body)
  return parts === 1 && md5 === hash('md5', hash('md5', body, 'buffer'))
}

function digestsIn(headers: Answer['headers']): StoredDigests {
  const checksum = String(headers['x-amz-checksum-sha256'] ?? '')
  const [, md5 = null, parts = null] = MD5_ETAG.exec(String(headers.etag ?? '')) ?? []
  return {
    // The checksum of an object of parts covers the checksums of its parts.
    sha256: parts === null && SHA256.test(checksum) ? Buffer.from(checksum, 'base64').toString('hex') : null,
    md5: isByKeyService(headers) ? null : (md5?.toLowerCase() ?? null),
    parts: parts === null ? null : Number(parts),
  }
}

function isByKeyService(headers: Answer['headers']): boolean {
  return String(headers['x-amz-server-side-encryption'] ?? '').startsWith('aws:kms')
}

/**
 * `same`, `other`: certain. `unlike`: the ETag is not the MD5, which proves a difference only if the store uses MD5.
 * `unknown`: nothing to compare.
 */
export type Comparison = 'same' | 'other' | 'unlike' | 'unknown'

export interface DigestCheck {
  /** By its ETag. */
  form: 'whole' | 'parts'
  /** Passes the bytes on unchanged. */
  watch(bytes: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array>
  /** Call after all bytes. `sha256`: theirs. */
  compare(sha256: string): Comparison
}

/** The size of the object and of its parts. */
interface Layout {
  sizeBytes: number
  partSizeBytes: number | null
}

/** Compares bytes with the digests of the store. */
export function checkDigests(stored: StoredDigests, layout: Layout): DigestCheck {
  const stepBytes = stored.sha256 === null && stored.md5 !== null && getFips() === 0 ? stepOf(stored, layout) : null
  const md5 = stepBytes === null ? null : createStepHash(stepBytes, stored.parts !== null)
  return {
    form: stored.parts === null ? 'whole' : 'parts',
    async *watch(bytes) {
      for await (const chunk of bytes) {
        md5?.update(chunk)
        yield chunk
      }
    },
    compare(sha256) {
      if (stored.sha256 !== null) return stored.sha256 === sha256 ? 'same' : 'other'
      if (md5 === null) return 'unknown'
      if (md5.digest() === stored.md5) return 'same'
      return (stored.parts === null) === (layout.partSizeBytes === null) ? 'unlike' : 'unknown'
    },
  }
}

/** The size of the object's parts; null: none of our uploads has that number of parts. */
function stepOf({ parts }: StoredDigests, { sizeBytes, partSizeBytes }: Layout): number | null {
  if (parts === null) return Number.POSITIVE_INFINITY
  const isSo = (step: number) => Math.max(1, Math.ceil(sizeBytes / step)) === parts
  const steps = partSizeBytes === null ? [PART_BYTES, sizes.partBytes] : [partSizeBytes]
  return steps.find(isSo) ?? null
}

/** MD5 of all bytes, or of the MD5s of steps. */
function createStepHash(stepBytes: number, isOfSteps: boolean) {
  const steps = createHash('md5')
  let step = createHash('md5')
  let leftBytes = stepBytes
  let count = 0
  const end = () => {
    steps.update(step.digest())
    step = createHash('md5')
    leftBytes = stepBytes
    count += 1
  }
  return {
    update(chunk: Uint8Array): void {
      for (let at = 0; at < chunk.length; ) {
        const piece = chunk.subarray(at, at + leftBytes)
        step.update(piece)
        at += piece.length
        leftBytes -= piece.length
        if (leftBytes === 0) end()
      }
    },
    digest(): string {
      if (!isOfSteps) return step.digest('hex')
      if (leftBytes < stepBytes || count === 0) end()
      return steps.digest('hex')
    },
  }
}
