import type { Bytes } from '../client/put-bytes.ts'
import { SourceChangedError } from '../errors/transfer-errors.ts'

/** Re-readable bytes of a known size, such as a `Blob`, a `File`, or your own object. */
export interface Source {
  readonly size: number
  /** Bytes from `start` (inclusive) to `end` (exclusive). */
  slice(start: number, end: number): Piece | Promise<Piece>
  /** Default name and type of the file. */
  readonly name?: string | undefined
  readonly type?: string | undefined
  /** Milliseconds since 1970. After a change, an upload cannot be resumed. */
  readonly lastModified?: number | undefined
  /** The source behind bytes that differ on each read, such as encrypted bytes. A token identifies the source by it. */
  readonly original?: Source | undefined
}

export type Piece = Blob | Uint8Array | ArrayBuffer | ReadableStream<Uint8Array>
export type Stream = ReadableStream<Uint8Array> | AsyncIterable<Uint8Array>

/** A piece of a source that can be sent repeatedly. Throws a `SourceChangedError` if it is too short. */
export async function readPiece(source: Source, start: number, end: number): Promise<Blob | Bytes> {
  const piece = await source.slice(start, end)
  const body = piece instanceof Blob ? piece : await bytesOf(piece)
  const size = body instanceof Blob ? body.size : body.length
  if (size !== end - start) throw new SourceChangedError(`The source returned ${size} bytes instead of ${end - start}`)
  return body
}

export async function bytesOf(piece: Piece): Promise<Bytes> {
  // Shared memory may change during the upload, and some platforms send it as text.
  if (piece instanceof Uint8Array) return piece.buffer instanceof ArrayBuffer ? (piece as Bytes) : piece.slice()
  if (piece instanceof ArrayBuffer) return new Uint8Array(piece)
  return new Uint8Array(await new Response(piece).arrayBuffer())
}

/** Converts upload input other than streams. Throws a TypeError for an invalid source. */
export function sourceOf(given: Blob | ArrayBufferView | ArrayBuffer | Source): Source {
  if (given instanceof ArrayBuffer) return sourceOf(new Uint8Array(given))
  if (ArrayBuffer.isView(given)) {
    const view = new Uint8Array(given.buffer, given.byteOffset, given.byteLength)
    return { size: view.length, slice: (start, end) => view.subarray(start, end) }
  }
  if (typeof given?.size === 'number' && typeof given.slice === 'function') return given
  throw new TypeError(
    'The source must be a Blob, bytes, a stream, or an object with size and slice(). Wrap text as new Blob([text])',
  )
}

export function isStream(source: unknown): source is Stream {
  return typeof source === 'object' && source !== null && ('getReader' in source || Symbol.asyncIterator in source)
}

/** Identifies a source without reading all of it: by its first and last bytes, its size, and its modification time. */
export async function fingerprintOf(source: Source): Promise<string> {
  const edge = Math.min(source.size, 64 * 1024)
  const ends = [await readPiece(source, 0, edge), await readPiece(source, source.size - edge, source.size)]
  const text = new TextEncoder().encode(`${source.size} ${source.lastModified ?? ''} `)
  const digest = await crypto.subtle.digest('SHA-256', await new Blob([text, ...ends]).arrayBuffer())
  return toBase64Url(new Uint8Array(digest).subarray(0, 12))
}

export const hexOf = (bytes: Uint8Array): string =>
  Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')

export function toBase64Url(bytes: Uint8Array): string {
  const text = btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''))
  return text.replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')
}

/** Throws a DOMException for invalid base64. */
export function fromBase64Url(text: string): Bytes {
  return Uint8Array.from(atob(text.replaceAll('-', '+').replaceAll('_', '/')), (letter) => letter.charCodeAt(0))
}
