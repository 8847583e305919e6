import { setTimeout as delay } from 'node:timers/promises'
import type { ChildExit, RunningChild } from './run-child.ts'

export type SuperviseOptions<C extends RunningChild> = {
  name: string
  /** Starts the process on the ports of `previous`, and resolves when it is ready. */
  launch: (previous: C | undefined) => Promise<C>
  /** Called after every restart; must not throw. */
  onRestart: () => Promise<void>
  report: (line: string) => void
}

/** A process that is restarted whenever it exits. Disposal stops it. */
export type Supervised<C extends RunningChild> = AsyncDisposable & {
  current(): C
  /** Unhealthy while the process does not run, and while it exits again and again soon after it started. */
  isHealthy(): boolean
  /** Resolves when the new process is ready. Rejects on disposal. */
  restart(): Promise<void>
}

const firstDelayMs = 200
const longestDelayMs = 5_000
/** If a process ran this long, its exit resets the delay. */
const steadyMs = 10_000
/** Exits and failed starts, without a steady run, after which a process counts as unhealthy even while it runs. */
const unhealthyFailures = 3

/** Rejects if the first start fails. Later starts are retried without limit. */
export async function supervise<C extends RunningChild>(options: SuperviseOptions<C>): Promise<Supervised<C>> {
  let child = await options.launch(undefined)
  const stopping = new AbortController()
  let started = Promise.withResolvers<void>()
  let isMeant = false
  let startedAt: number | undefined = Date.now()
  let failures = 0
  const watching = watch()

  const isSteady = () => startedAt !== undefined && Date.now() - startedAt >= steadyMs
  const isHealthy = () => startedAt !== undefined && (failures < unhealthyFailures || isSteady())

  async function watch(): Promise<void> {
    let delayMs = firstDelayMs
    while (!stopping.signal.aborted) {
      const exit = await child.exited
      if (isSteady()) {
        delayMs = firstDelayMs
        failures = 0
      }
      startedAt = undefined
      if (!isMeant) failures += 1
      if (isMeant) delayMs = 0
      else if (!stopping.signal.aborted) options.report(`${options.name} (process ${child.pid}) ${describe(exit)}`)
      delayMs = await startAgain(delayMs)
    }
  }

  /** Retries until the process runs or disposal begins. Returns the next delay. */
  async function startAgain(firstTryMs: number): Promise<number> {
    for (let delayMs = firstTryMs; ; delayMs = longer(delayMs)) {
      await delay(delayMs, undefined, { signal: stopping.signal }).catch(() => {})
      if (stopping.signal.aborted) return delayMs
      const next = await options.launch(child).catch((error: Error) => error)
      if (next instanceof Error) {
        options.report(`${options.name} could not be restarted: ${next.message}`)
        failures += 1
        continue
      }
      child = next
      startedAt = Date.now()
      options.report(`${options.name} is running again (process ${child.pid})`)
      await options.onRestart()
      isMeant = false
      started.resolve()
      started = Promise.withResolvers()
      return longer(delayMs)
    }
  }

  async function restart(): Promise<void> {
    const { promise } = started
    isMeant = true
    await child.stop()
    await promise
    stopping.signal.throwIfAborted()
  }

  async function stop(): Promise<void> {
    stopping.abort()
    started.resolve()
    await child.stop()
    await watching
    await child.stop() // a process that was being started
  }
  return { current: () => child, isHealthy, restart, [Symbol.asyncDispose]: stop }
}

const longer = (delayMs: number) => Math.min(2 * Math.max(delayMs, firstDelayMs / 2), longestDelayMs)
const describe = ({ code, signal }: ChildExit) => `exited with ${signal ?? `code ${code}`}`
