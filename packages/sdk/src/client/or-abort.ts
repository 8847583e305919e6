/**
 * What `work` comes to, or the signal's reason as soon as it is aborted, whoever does the work and however long that takes.
 * (A race with one promise for all of them would keep every result until the signal is gone.)
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
