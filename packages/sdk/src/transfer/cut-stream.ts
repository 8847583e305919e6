import { orAbort } from '../client/or-abort.ts'
import type { Bytes } from '../client/put-bytes.ts'
import type { Stream } from './source.ts'

/** Cancels the stream on early exit or abort, without waiting. (Safari cannot iterate over streams.) */
export async function* chunksOf(stream: Stream, signal: AbortSignal): AsyncGenerator<Uint8Array> {
  const chunks = 'getReader' in stream ? readerOf(stream) : stream[Symbol.asyncIterator]()
  let ended = false
  try {
    for (;;) {
      const { done, value } = await orAbort(chunks.next(), signal)
      if (done) break
      yield bytesIn(value)
    }
    ended = true
  } finally {
    const left = ended ? undefined : Promise.resolve(chunks.return?.()).catch(() => {})
    if (!signal.aborted) await left
  }
}

function readerOf(stream: ReadableStream<Uint8Array>): AsyncIterator<Uint8Array> {
  const reader = stream.getReader()
  return {
    next: () => reader.read() as Promise<IteratorResult<Uint8Array>>,
    async return() {
      await reader.cancel()
      return { done: true, value: undefined }
    },
  }
}

function bytesIn(chunk: unknown): Uint8Array {
  if (chunk instanceof Uint8Array) return chunk
  throw new TypeError('An uploaded stream must yield Uint8Arrays')
}

/**
 * Cuts a stream into pieces of `size` bytes; the last one may be shorter. Each piece is a separate buffer that is
 * filled once.
 */
export async function* cutStream(stream: Stream, size: number, signal: AbortSignal): AsyncGenerator<Bytes> {
  let buffer = new Uint8Array(size)
  let filled = 0
  for await (const chunk of chunksOf(stream, signal)) {
    for (let at = 0; at < chunk.length; ) {
      const taken = Math.min(size - filled, chunk.length - at)
      buffer.set(chunk.subarray(at, at + taken), filled)
      at += taken
      filled += taken
      if (filled < size) continue
      yield buffer
      buffer = new Uint8Array(size)
      filled = 0
    }
  }
  if (filled > 0) yield buffer.subarray(0, filled)
}
