import type { Bytes } from './put-bytes.ts'
import type { Stream } from './source.ts'

/**
 * The chunks of a stream. Left early or aborted, it cancels the stream, also one that gives nothing more. (Safari cannot
 * iterate streams by itself.)
 */
export async function* chunksOf(stream: Stream, signal: AbortSignal): AsyncGenerator<Uint8Array> {
  if (!('getReader' in stream)) return yield* stream
  const reader = stream.getReader()
  const onAbort = () => void reader.cancel(signal.reason).catch(() => {})
  signal.addEventListener('abort', onAbort, { once: true })
  let ended = false
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) break
      if (!(value instanceof Uint8Array)) throw new TypeError('A stream to upload must give Uint8Arrays')
      yield value
    }
    ended = true
  } finally {
    signal.removeEventListener('abort', onAbort)
    if (!ended) await reader.cancel().catch(() => {})
    reader.releaseLock()
  }
}

/** Cuts a stream into pieces of `size` bytes, the last one shorter. Each is a buffer of its own, filled once. */
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
