/**
 * Runs one call at a time. Each caller gets the result of a run that began after its call, because an earlier run may
 * miss recent changes.
 */
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
