import { createHash } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import { Readable } from 'node:stream'
import { S3Error } from '../errors.ts'
import type { ChainSeed } from '../signature/claim.ts'
import { type Payload, readPayload } from '../signature/payload.ts'
import { ByteReader } from './byte-reader.ts'
import { createChunkChain } from './chunk-chain.ts'
import { decodeChunks } from './chunked-body.ts'
import { declaredTrailers } from './trailers.ts'

/** What the signature of a request says about its body. */
export interface BodySignature {
  payload: Payload
  seed: ChainSeed
  signingKey: Buffer
}

export interface DecodedBody {
  /** The number of bytes of the object. Undefined for a body of unknown length. */
  sizeBytes: number | undefined
  /** The SHA-256 that the signature promises. */
  contentSha256: string | undefined
  /** To be read once. It throws before its last bytes unless every byte, signature, and length is as promised. */
  bytes: AsyncIterable<Buffer>
  /** The names that `x-amz-trailer` declares. */
  declaredTrailers: readonly string[]
  /** By lower-case names. Empty before `bytes` ended. */
  trailers(): ReadonlyMap<string, string>
}

export interface DecodeOptions {
  /** Null for a request without a signature. */
  signature: BodySignature | null
  headers: IncomingHttpHeaders
  /** True if the reader compares the bytes with `contentSha256`, so that they are not hashed twice. */
  isSha256VerifiedElsewhere?: boolean
}

/** Never destroys a source, because the response to a wrong body needs its connection. */
export function decodeBody(body: Readable | AsyncIterable<Buffer>, options: DecodeOptions): DecodedBody {
  const source = body instanceof Readable ? body.iterator({ destroyOnReturn: false }) : body
  const { signature, headers } = options
  const payload = signature?.payload ?? anonymousPayload(headers)
  if (payload.kind === 'chunks') return decodeChunked(source, payload, options)
  const contentSha256 = payload.kind === 'sha256' ? payload.hex : undefined
  const sizeBytes = contentLength(headers['content-length'])
  const isHashed = contentSha256 !== undefined && options.isSha256VerifiedElsewhere !== true
  const bytes = isHashed ? verifySha256(source, contentSha256) : source
  return { sizeBytes, contentSha256, bytes, declaredTrailers: [], trailers: () => new Map() }
}

function decodeChunked(
  source: AsyncIterable<Buffer>,
  payload: Payload & { kind: 'chunks' },
  { signature, headers }: DecodeOptions,
): DecodedBody {
  const sizeBytes = contentLength(one(headers['x-amz-decoded-content-length']))
  if (sizeBytes === undefined) throw new S3Error('MissingContentLength')
  const declared = payload.hasTrailer ? declaredTrailers(one(headers['x-amz-trailer'])) : []
  const chain =
    payload.isSigned && signature !== null ? createChunkChain(signature.seed, signature.signingKey) : undefined
  let trailers: ReadonlyMap<string, string> = new Map()

  const { hasTrailer } = payload
  const decoded = { chain, sizeBytes, hasTrailer, declaredTrailers: declared }
  async function* decode(): AsyncGenerator<Buffer> {
    trailers = yield* decodeChunks(new ByteReader(source), decoded)
  }

  return { sizeBytes, contentSha256: undefined, bytes: decode(), declaredTrailers: declared, trailers: () => trailers }
}

/** Nothing covers the body of an anonymous request, but its encoding must still be known. */
function anonymousPayload(headers: IncomingHttpHeaders): Payload {
  const value = one(headers['x-amz-content-sha256'])
  if (value === undefined) return { kind: 'unsigned' }
  const payload = readPayload(value)
  if (payload.kind !== 'chunks' || !payload.isSigned) return payload
  const message =
    "Anonymous requests don't support this x-amz-content-sha256 value. " +
    'Please use UNSIGNED-PAYLOAD or STREAMING-UNSIGNED-PAYLOAD-TRAILER.'
  throw new S3Error('InvalidRequest', message)
}

async function* verifySha256(source: AsyncIterable<Buffer>, promised: string): AsyncGenerator<Buffer> {
  const digest = createHash('sha256')
  let last: Buffer | undefined
  for await (const bytes of source) {
    digest.update(bytes)
    if (last !== undefined) yield last
    last = bytes
  }
  const computed = digest.digest('hex')
  if (computed === promised) {
    if (last !== undefined) yield last
    return
  }
  throw new S3Error('XAmzContentSHA256Mismatch', undefined, {
    ClientComputedContentSHA256: promised,
    S3ComputedContentSHA256: computed,
  })
}

/** `Content-Encoding` as stored: without `aws-chunked`, which is an encoding of the transfer. */
export function storedContentEncoding(value: string | undefined): string | undefined {
  const codings = (value ?? '').split(',').map((coding) => coding.trim())
  const stored = codings.filter((coding) => coding !== '' && coding.toLowerCase() !== 'aws-chunked')
  return stored.length > 0 ? stored.join(', ') : undefined
}

/** A length that is not a plain number counts as missing, as in S3. */
function contentLength(text: string | undefined): number | undefined {
  const length = text !== undefined && /^\d{1,16}$/.test(text) ? Number(text) : undefined
  return Number.isSafeInteger(length) ? length : undefined
}

const one = (value: string | string[] | undefined) => (Array.isArray(value) ? value.join(',') : value)
