/** Rejects when the signal aborts, even if the call is stuck on an unresponsive disk. */
export async function orAborted<T>(call: Promise<T>, signal: AbortSignal): Promise<T> {
  call.catch(() => undefined) // it may fail after the abort
  const { promise: aborted, reject } = Promise.withResolvers<never>()
  const abort = () => reject(signal.reason)
  signal.addEventListener('abort', abort, { once: true })
  try {
    signal.throwIfAborted()
    return await Promise.race([call, aborted])
  } finally {
    signal.removeEventListener('abort', abort)
  }
}
