/** Timers take no more, and fire at once when they are asked to. */
const PAUSE_MAX_MS = 2 ** 31 - 1

/** Resolves after so many milliseconds; rejects with the signal's reason as soon as it is aborted. */
export function pause(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason)
    const onAbort = () => {
      clearTimeout(timer)
      reject(signal?.reason)
    }
    const timer = setTimeout(
      () => {
        signal?.removeEventListener('abort', onAbort)
        resolve()
      },
      Math.min(ms, PAUSE_MAX_MS),
    )
    signal?.addEventListener('abort', onAbort, { once: true })
  })
}

/**
 * How long to wait before attempt `attempt` (the second is 1): doubling from a quarter of a second to eight, by chance
 * somewhere between half of that and all, so that clients who failed together do not come back together. What the
 * service asked for is waited in full, and a bit by chance.
 */
export function backoffMs(attempt: number, retryAfterSeconds: number | null = null): number {
  const step = Math.min(8000, 250 * 2 ** (attempt - 1)) * (0.5 + Math.random() / 2)
  return retryAfterSeconds === null ? step : Math.max(step, retryAfterSeconds * 1000 + Math.random() * 250)
}
