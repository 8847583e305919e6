import { createHash, getFips, hash } from 'node:crypto'
import { Readable } from 'node:stream'
import { type Answer, documentOf, elementsOf, malformed, textOf } from '@tideport/s3-client/response'
import type { OpenAnswer } from '@tideport/s3-client/s3-client'
import { isNamed, type StoreCalls, unavailable } from './store-calls.ts'
import { PART_BYTES, sizes, storeObject } from './write-object.ts'

/** Of an object that should have so many bytes: all of them, or those from `start` to `end`, both included. */
export interface WantedBytes {
  sizeBytes: number
  range?: { start: number; end: number } | undefined
}

type Calls = StoreCalls

/**
 * The size of an object that was said to be absent, or null when the bucket does not list it either. Anything may
 * answer 404 in the place of a store that is away; nothing else has a list of its bucket.
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

/**
 * Opens an object's bytes, whatever its size where none is told. What the bucket's list does not bear out, that it is not
 * there or has another size, was said by something that stands in the store's place.
 */
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
  // Until it is read, a body that fails must not take the process down.
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
  throw unavailable(malformed('has other bytes than it was asked for'))
}

/** Of the whole object, as an answer tells it; null where it is none to this range. */
function sizeIn({ status, headers }: OpenAnswer, range: WantedBytes['range']): number | null {
  if (range === undefined) return status === 200 ? Number(headers['content-length']) : null
  const told = /^bytes (\d+)-\d+\/(\d+)$/.exec(String(headers['content-range']))
  return status === 206 && Number(told?.[1]) === range.start ? Number(told?.[2]) : null
}

/** What a store says of an object's bytes, in lower-case hex; null where it says nothing that can be compared. */
export interface StoredDigests {
  sha256: string | null
  /** The ETag, where it may be an MD5: of all bytes, or of the MD5s of `parts`. */
  md5: string | null
  parts: number | null
}

const SHA256 = /^[A-Za-z0-9+/]{43}=$/
const MD5_ETAG = /^"?([0-9a-f]{32})(?:-(\d+))?"?$/i

/**
 * Sends a request of its own, so that whatever gives an object's bytes does not vouch for itself. The bucket's list names
 * the ETag where HEAD names no digest, as a page does that is sent in the store's place. An object that does not exist has
 * no digests.
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

/**
 * Whether the store makes the ETags of such objects by MD5 now, as a new object shows whose bytes are known. It proves
 * nothing of an object that was stored under other settings of the bucket.
 */
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
    // The checksum of an object of parts is one of the checksums of its parts.
    sha256: parts === null && SHA256.test(checksum) ? Buffer.from(checksum, 'base64').toString('hex') : null,
    md5: isByKeyService(headers) ? null : (md5?.toLowerCase() ?? null),
    parts: parts === null ? null : Number(parts),
  }
}

function isByKeyService(headers: Answer['headers']): boolean {
  return String(headers['x-amz-server-side-encryption'] ?? '').startsWith('aws:kms')
}

/**
 * `same` and `other` are certain. `unlike`: the ETag is not the one that MD5 gives, which proves something only with stores
 * that make ETags by MD5. `unknown`: the store says nothing that can be compared.
 */
export type Comparison = 'same' | 'other' | 'unlike' | 'unknown'

export interface DigestCheck {
  /** How the object was stored, by its ETag. */
  form: 'whole' | 'parts'
  /** Passes the bytes on unchanged. */
  watch(bytes: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array>
  /** All bytes have passed, and have this SHA-256. */
  compare(sha256: string): Comparison
}

/** An object's size, and that of its parts where a client uploaded it in parts. */
interface Layout {
  sizeBytes: number
  partSizeBytes: number | null
}

/** Compares bytes that are read with the digests that the store names for them. */
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

/** The size of the parts that an object was made of; null where no upload of ours has so many. */
function stepOf({ parts }: StoredDigests, { sizeBytes, partSizeBytes }: Layout): number | null {
  if (parts === null) return Number.POSITIVE_INFINITY
  const isSo = (step: number) => Math.max(1, Math.ceil(sizeBytes / step)) === parts
  const steps = partSizeBytes === null ? [PART_BYTES, sizes.partBytes] : [partSizeBytes]
  return steps.find(isSo) ?? null
}

/** MD5 of all bytes, or of the MD5s of steps of so many. */
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
