import { Cancelled, exitCodeOf, exitCodes, PartlyFailed } from './failures.ts'

/** Rejects with a `PartlyFailed` at the end, or with the signal's reason as soon as it aborts. */
export async function forEach<T>(
  items: Iterable<T> | AsyncIterable<T>,
  { limit, signal, what }: { limit: number; signal: AbortSignal; what: string },
  work: (item: T) => Promise<void>,
  failed: (item: T, error: unknown) => Promise<void>,
): Promise<void> {
  const counts = { done: 0, failed: 0 }
  // A generator serves one `next` call after the other, so workers can share it.
  const queue = (async function* () {
    yield* items
  })()
  async function worker() {
    for (;;) {
      signal.throwIfAborted()
      const next = await queue.next()
      if (next.done) return
      try {
        await work(next.value)
        counts.done++
      } catch (error) {
        if (signal.aborted) throw error instanceof Cancelled ? error : signal.reason
        // Rejected credentials fail for all items.
        if (exitCodeOf(error) === exitCodes.login) throw error
        if (error instanceof PartlyFailed) {
          counts.failed += error.failed
          counts.done += error.done
        } else {
          counts.failed++
          await failed(next.value, error)
        }
      }
    }
  }
  const ends = await Promise.allSettled(Array.from({ length: limit }, worker))
  const reasons = ends.flatMap((end) => (end.status === 'rejected' ? [end.reason] : []))
  // The outcome of a stop is more precise than the stop itself.
  if (reasons.length > 0) throw reasons.find((reason) => reason !== signal.reason) ?? reasons[0]
  signal.throwIfAborted()
  if (counts.failed > 0) throw new PartlyFailed(counts.failed, counts.done, what)
}
