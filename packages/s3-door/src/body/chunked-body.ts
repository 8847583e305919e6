import { S3Error } from '../errors.ts'
import type { ByteReader } from './byte-reader.ts'
import type { ChunkChain } from './chunk-chain.ts'
import { readTrailers } from './trailers.ts'

const UNSIGNED_HEADER = /^(?<size>[0-9a-fA-F]{1,16})$/
const SIGNED_HEADER = /^(?<size>[0-9a-fA-F]{1,16});chunk-signature=(?<signature>[0-9a-f]{64})$/
const MAX_HEADER_BYTES = 128

/** Smaller chunks, except the last one, would cost more than their bytes. */
const MIN_CHUNK_BYTES = 8192

export interface ChunkedBody {
  /** Undefined for chunks without signatures. */
  chain: ChunkChain | undefined
  /** `x-amz-decoded-content-length`. */
  sizeBytes: number
  hasTrailer: boolean
  declaredTrailers: readonly string[]
}

/**
 * Decodes `aws-chunked`. Bytes leave before the signature of their chunk is verified, but the last ones leave only after
 * the complete body is verified. A reader that stores nothing of incomplete bytes therefore stores nothing that is wrong.
 * Returns the trailers.
 */
export async function* decodeChunks(
  reader: ByteReader,
  body: ChunkedBody,
): AsyncGenerator<Buffer, ReadonlyMap<string, string>> {
  const { chain, sizeBytes } = body
  let left = sizeBytes
  let last: Buffer | undefined
  for (let lastSize: number | undefined; ; ) {
    const { size, signature } = await readChunkHeader(reader, chain !== undefined)
    if (size === 0) {
      if (left > 0) throw wrongLength()
      chain?.endChunk(signature)
      break
    }
    if (lastSize !== undefined && lastSize < MIN_CHUNK_BYTES) throw new S3Error('InvalidChunkSizeError')
    if (size > left) throw await tooLong(reader, left)
    for (let ofChunk = size; ofChunk > 0; ) {
      const bytes = await reader.some(ofChunk)
      if (bytes === undefined) throw new S3Error('IncompleteBody')
      chain?.update(bytes)
      ofChunk -= bytes.length
      left -= bytes.length
      if (left > 0) yield bytes
      else last = bytes
    }
    if ((await reader.line(0)) !== '') throw new S3Error('IncompleteBody')
    chain?.endChunk(signature)
    lastSize = size
  }
  const trailers = await endOfBody(reader, body)
  if (!(await reader.isAtEnd())) throw wrongLength()
  if (last !== undefined) yield last
  return trailers
}

async function endOfBody(reader: ByteReader, body: ChunkedBody): Promise<ReadonlyMap<string, string>> {
  if (!body.hasTrailer) {
    if ((await reader.line(0)) !== '') throw new S3Error('IncompleteBody')
    return new Map()
  }
  const { values, signedLines, signature } = await readTrailers(reader, body.declaredTrailers, body.chain !== undefined)
  if (signature !== undefined) body.chain?.endTrailer(signedLines, signature)
  return values
}

async function readChunkHeader(reader: ByteReader, isSigned: boolean): Promise<{ size: number; signature: string }> {
  const line = await reader.line(MAX_HEADER_BYTES)
  const found = (isSigned ? SIGNED_HEADER : UNSIGNED_HEADER).exec(line)?.groups
  if (found === undefined) throw new S3Error('IncompleteBody')
  return { size: Number.parseInt(found.size as string, 16), signature: found.signature ?? '' }
}

/** S3 tells a chunk that ends before its stated size from a body with more bytes than declared. */
async function tooLong(reader: ByteReader, left: number): Promise<S3Error> {
  for (let skipped = 0; skipped < left; ) {
    const bytes = await reader.some(left - skipped)
    if (bytes === undefined) return new S3Error('IncompleteBody')
    skipped += bytes.length
  }
  const next = [await reader.some(1), await reader.some(1)].map((bytes) => bytes?.toString('latin1') ?? '').join('')
  return next === '' || next === '\r\n' ? new S3Error('IncompleteBody') : wrongLength()
}

function wrongLength(): S3Error {
  const message = 'You did not provide the number of bytes specified by the Content-Length HTTP header'
  return new S3Error('IncompleteBody', message)
}
