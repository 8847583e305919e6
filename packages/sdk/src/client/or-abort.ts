/**
 * Settles like `work`, or rejects with the signal's reason. A race with one shared promise would keep every result in
 * memory.
 */
export function orAbort<T>(work: T | Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const onAbort = () => reject(signal.reason)
    const end = () => signal.removeEventListener('abort', onAbort)
    signal.addEventListener('abort', onAbort, { once: true })
    if (signal.aborted) onAbort()
    Promise.resolve(work).then(resolve, reject).finally(end)
  })
}
