import type { Client } from '../client/create-client.ts'
import { orAbort } from '../client/or-abort.ts'
import { backoffMs, pause } from '../client/pause.ts'
import { ApiError } from '../errors/api-error.ts'
import { ChecksumError, NetworkError, ProtocolError, StorageError } from '../errors/transfer-errors.ts'
import { startSha256 } from './sha256.ts'
import { fromBase64Url, hexOf } from './source.ts'

type Chunk = Uint8Array<ArrayBuffer>

export interface Reading {
  start: number
  end: number
  sizeBytes: number
  /** Of the complete file, in hexadecimal; null if unknown. */
  checksumSha256: string | null
  /** Each piece is authenticated by the reader, so the SHA-256 adds nothing. */
  isAuthenticated?: boolean
  /** Requests the bytes from a position with these headers; called again after each interruption. */
  ask: (headers: Record<string, string>, signal: AbortSignal) => Promise<Response>
}

/** Start (inclusive) and end (exclusive), limited to the size. Throws a RangeError for an invalid position. */
export function placesIn(size: number, start = 0, end = size): { start: number; end: number } {
  if (!(start >= 0 && end >= 0) || start % 1 || end % 1)
    throw new RangeError('A byte position must be an integer of at least 0')
  const until = Math.min(end, size)
  return { start: Math.min(start, until), end: until }
}

/** Yields the bytes, resumes after broken connections, and checks the SHA-256 if all bytes are read. */
export async function* readBytes(client: Client, reading: Reading, signal: AbortSignal): AsyncGenerator<Chunk> {
  const { start, end, sizeBytes } = reading
  const hash = start === 0 && end === sizeBytes && !reading.isAuthenticated ? await startSha256() : null
  let expected = reading.checksumSha256
  let at = start
  for (let failed = 0; at < end; ) {
    try {
      const opened = await open(client, reading, at, signal)
      expected ??= opened.digest
      for await (const chunk of opened.chunks) {
        if (at + chunk.length > end) throw new ChecksumError('The response has more bytes than the file')
        failed = 0
        at += chunk.length
        hash?.update(chunk)
        yield chunk
      }
      if (at < end) throw new NetworkError('The download was interrupted')
    } catch (error) {
      signal.throwIfAborted()
      if (!mayGoOn(error) || ++failed >= client.attempts) throw error
      await pause(backoffMs(failed), signal)
    }
  }
  if (hash && expected !== null && hash.hex() !== expected.toLowerCase()) {
    throw new ChecksumError('The downloaded bytes do not match the stored SHA-256')
  }
}

/** An expired URL is requested again: each attempt has its own URL. */
const mayGoOn = (error: unknown) =>
  error instanceof NetworkError ||
  (error instanceof StorageError && ([403, 408, 429].includes(error.status) || error.status >= 500))

async function open(client: Client, { end, sizeBytes, ask }: Reading, at: number, signal: AbortSignal) {
  const silence = new AbortController()
  const either = AbortSignal.any([signal, silence.signal])
  const isPart = at > 0 || end < sizeBytes
  const watch = watchSilence(silence, client.timeoutMs)
  try {
    const headers: Record<string, string> = isPart ? { range: `bytes=${at}-${end - 1}` } : {}
    const response = await orAbort(ask(headers, either), either)
    if (response.status !== (isPart ? 206 : 200)) {
      leave(response.body)
      throw new StorageError('A read', response.status)
    }
    // CORS may hide the header from a page.
    const range = response.headers.get('content-range')
    if (isPart && range !== null && !range.startsWith(`bytes ${at}-${end - 1}/`)) {
      leave(response.body)
      throw new ProtocolError('The storage returned a different range than requested')
    }
    return { digest: digestOf(response), chunks: chunksOf(response, watch, signal, either) }
  } catch (error) {
    watch.end()
    signal.throwIfAborted()
    const isOurs = [ApiError, NetworkError, ProtocolError, StorageError].some((kind) => error instanceof kind)
    if (isOurs && !silence.signal.aborted) throw error
    // Platform errors contain the URL, which is a secret.
    throw new NetworkError('The storage did not respond')
  }
}

/** Yields the bytes of a response. Rejects with a `NetworkError` if they stop early or stall for too long. */
export async function* chunksOf(
  response: Response,
  watch: ReturnType<typeof watchSilence>,
  signal: AbortSignal,
  either: AbortSignal,
): AsyncGenerator<Chunk> {
  const reader = response.body?.getReader()
  if (!reader) return watch.end()
  try {
    for (;;) {
      watch.begin()
      const { done, value } = await orAbort(reader.read(), either)
      watch.end()
      if (done) return
      yield value as Chunk
    }
  } catch {
    signal.throwIfAborted()
    throw new NetworkError('The download was interrupted')
  } finally {
    watch.end()
    leave(reader)
  }
}

/** Not awaited, because a `fetch` that ignores signals may never settle. */
function leave(bytes: { cancel: () => Promise<void> } | null): void {
  bytes?.cancel().catch(() => {})
}

/** Aborts a connection that delivers nothing for this long. The time of a slow reader does not count. */
export function watchSilence(silence: AbortController, ms: number) {
  let timer: ReturnType<typeof setTimeout> | undefined
  const end = () => clearTimeout(timer)
  const begin = () => {
    end()
    timer = setTimeout(() => silence.abort(new DOMException(`No bytes for ${ms} ms`, 'TimeoutError')), ms)
  }
  begin()
  return { begin, end }
}

/** RFC 9530: the digest of the complete file, even in a partial response. */
function digestOf({ headers }: Response): string | null {
  const text = /(?:^|,)\s*sha-256=:([A-Za-z0-9+/]{43}=):/.exec(headers.get('repr-digest') ?? '')?.[1]
  return text === undefined ? null : hexOf(fromBase64Url(text))
}

/** Signals for bytes that are read into a stream: `signal`, and `left` when the reader stops. */
export function leavable(signal?: AbortSignal): { left: AbortController; either: AbortSignal } {
  const left = new AbortController()
  return { left, either: signal ? AbortSignal.any([signal, left.signal]) : left.signal }
}

/** A stream that reads only on demand. Canceling it aborts `left`, which stops the bytes immediately. */
export function streamOf(bytes: AsyncGenerator<Chunk>, left: AbortController): ReadableStream<Chunk> {
  return new ReadableStream<Chunk>(
    {
      async pull(controller) {
        const { done, value } = await bytes.next()
        if (done) controller.close()
        else controller.enqueue(value)
      },
      async cancel(reason) {
        left.abort(reason)
        await bytes.return(undefined)
      },
    },
    { highWaterMark: 0 },
  )
}
