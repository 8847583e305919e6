/** Longest delay of a timer; timers with longer delays fire immediately. */
const PAUSE_MAX_MS = 2 ** 31 - 1

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
 * Doubles from 250 ms to 8 s, with random jitter between half and all of it. Waits slightly longer than `Retry-After`.
 */
export function backoffMs(attempt: number, retryAfterSeconds: number | null = null): number {
  const step = Math.min(8000, 250 * 2 ** (attempt - 1)) * (0.5 + Math.random() / 2)
  return retryAfterSeconds === null ? step : Math.max(step, retryAfterSeconds * 1000 + Math.random() * 250)
}
