/** Ends with the abort, even while the call stands still, as one on a disk that hangs does. */
export async function orAborted<T>(call: Promise<T>, signal: AbortSignal): Promise<T> {
  call.catch(() => undefined) // it may fail when nobody waits any more
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
