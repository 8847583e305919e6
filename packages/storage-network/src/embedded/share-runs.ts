/** One run at a time. Whoever asks is told of a run that began after that: an earlier one may know less. */
export function shareRuns<T>(run: () => Promise<T>): () => Promise<T> {
  let running: Promise<unknown> = Promise.resolve()
  let next: Promise<T> | null = null
  return () => {
    next ??= running.then(() => {
      next = null
      const current = run()
      running = current.catch(() => undefined)
      return current
    })
    return next
  }
}
