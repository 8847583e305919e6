import { orAbort } from '../client/or-abort.ts'

/** Runs `work` for each item, `limit` at a time. The first failure aborts running work and starts no more. */
export async function inParallel<T>(
  items: Iterable<T> | AsyncIterable<T>,
  limit: number,
  signal: AbortSignal,
  work: (item: T, signal: AbortSignal) => Promise<void>,
): Promise<void> {
  const failed = new AbortController()
  const either = AbortSignal.any([signal, failed.signal])
  // A generator serves one `next` call after the other, so workers can share it.
  const queue = (async function* () {
    yield* items
  })()

  async function worker() {
    for (;;) {
      either.throwIfAborted()
      // An iterator that never yields must not block an aborted batch.
      const next = await orAbort(queue.next(), either)
      if (next.done) return
      await work(next.value, either)
    }
  }

  const workers = Array.from({ length: Math.max(1, limit) }, () =>
    worker().catch((error: unknown) => {
      failed.abort(error)
      throw error
    }),
  )
  await Promise.allSettled(workers)
  void queue.return(undefined).catch(() => {})
  signal.throwIfAborted()
  failed.signal.throwIfAborted()
}
