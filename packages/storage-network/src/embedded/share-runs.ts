/** One run at a time. Each caller gets the result of a run that began after its call: an earlier one may know less. */
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
