import type { Log } from '../telemetry/logger.ts'

export interface PeriodicTask extends AsyncDisposable {
  /** Runs the task now, or once more right after the run that is under way. */
  wake(): void
  /** Settles when the task was stopped and its last run ended. */
  stopped: Promise<void>
}

export interface EveryOptions {
  signal: AbortSignal
  log: Log
}

/** Runs never overlap. A failing run is logged once until one succeeds or fails otherwise. Disposal waits for the run. */
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
        // A dependency that stays down would fill the log: a failure is logged once, and again when it changes.
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
