import type { Bytes } from '../client/put-bytes.ts'
import { SourceChangedError } from '../errors/transfer-errors.ts'

/** Bytes of a known size that can be read again, from anywhere. A `Blob` and a `File` are such; so can be your own. */
export interface Source {
  readonly size: number
  /** The bytes from `start` to before `end`. */
  slice(start: number, end: number): Piece | Promise<Piece>
  /** Taken for the file's name and type unless the options say otherwise. */
  readonly name?: string | undefined
  readonly type?: string | undefined
  /** Milliseconds since 1970. If it changes, an upload that was begun is not gone on with. */
  readonly lastModified?: number | undefined
  /** What the bytes are made of, where they come out different each time, as encrypted ones do: by this a token knows the source again. */
  readonly original?: Source | undefined
}

export type Piece = Blob | Uint8Array | ArrayBuffer | ReadableStream<Uint8Array>
export type Stream = ReadableStream<Uint8Array> | AsyncIterable<Uint8Array>

/** A piece of a source as it can be sent, again and again. Throws a `SourceChangedError` where it is shorter. */
export async function readPiece(source: Source, start: number, end: number): Promise<Blob | Bytes> {
  const piece = await source.slice(start, end)
  const body = piece instanceof Blob ? piece : await bytesOf(piece)
  const size = body instanceof Blob ? body.size : body.length
  if (size !== end - start) throw new SourceChangedError(`The source returned ${size} bytes instead of ${end - start}`)
  return body
}

export async function bytesOf(piece: Piece): Promise<Bytes> {
  // What threads share may change on its way, and some platforms send its digits as text.
  if (piece instanceof Uint8Array) return piece.buffer instanceof ArrayBuffer ? (piece as Bytes) : piece.slice()
  if (piece instanceof ArrayBuffer) return new Uint8Array(piece)
  return new Uint8Array(await new Response(piece).arrayBuffer())
}

/** What is given to be uploaded, but for streams. Throws a TypeError for what is none of them. */
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

/** What tells this source from others without reading all of it: its ends and when it was last changed. */
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

/** Throws a DOMException for what is none. */
export function fromBase64Url(text: string): Bytes {
  return Uint8Array.from(atob(text.replaceAll('-', '+').replaceAll('_', '/')), (letter) => letter.charCodeAt(0))
}
