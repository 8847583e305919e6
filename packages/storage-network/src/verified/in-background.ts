/** The work is awaited later. Until then, a failure must not count as unhandled. */
export function inBackground<T>(work: Promise<T>): Promise<T> {
  work.catch(() => undefined)
  return work
}
