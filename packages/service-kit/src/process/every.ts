import type { Log } from '../telemetry/logger.ts'

export interface PeriodicTask extends AsyncDisposable {
  /** Runs the task now, or again directly after the current run. */
  wake(): void
  /** Settles when the task has been stopped and its last run has finished. */
  stopped: Promise<void>
}

export interface EveryOptions {
  signal: AbortSignal
  log: Log
}

/**
 * Runs never overlap. A failure is logged once, and again after a success or a different failure. Disposal waits for
 * the current run.
 */
export function every(
  intervalMs: number | (() => number),
  name: string,
  task: (signal: AbortSignal) => Promise<unknown>,
  { signal, log }: EveryOptions,
): PeriodicTask {
  const stop = new AbortController()
  const stopping = AbortSignal.any([signal, stop.signal])
  let isWoken = false
  let lastFailure = ''
  let endPause = () => {}

  async function pause(): Promise<void> {
    if (isWoken || stopping.aborted) return
    const { promise, resolve } = Promise.withResolvers<void>()
    const timer = setTimeout(resolve, typeof intervalMs === 'number' ? intervalMs : intervalMs())
    endPause = resolve
    await promise
    clearTimeout(timer)
  }

  async function loop(): Promise<void> {
    while (!stopping.aborted) {
      isWoken = false
      try {
        await task(stopping)
        lastFailure = ''
      } catch (error) {
        // Otherwise, a dependency that stays down would fill the log with the same failure.
        const failure = String(error)
        if (!stopping.aborted && failure !== lastFailure) log.error({ err: error, task: name }, 'periodic task failed')
        lastFailure = failure
      }
      await pause()
    }
  }

  stopping.addEventListener('abort', () => endPause(), { once: true })
  const stopped = loop()
  return {
    wake() {
      isWoken = true
      endPause()
    },
    stopped,
    async [Symbol.asyncDispose]() {
      stop.abort()
      await stopped
    },
  }
}
