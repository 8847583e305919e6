import { setTimeout as delay } from 'node:timers/promises'
import type { ChildExit, RunningChild } from './run-child.ts'

export type SuperviseOptions<C extends RunningChild> = {
  name: string
  /** Starts it, and resolves when it is ready; given the one before, whose ports it keeps. */
  launch: (previous: C | undefined) => Promise<C>
  /** Called after every restart; must not throw. */
  onRestart: () => Promise<void>
  report: (line: string) => void
}

/** A process that is started again whenever it ends, until it is disposed of, which stops it. */
export type Supervised<C extends RunningChild> = AsyncDisposable & {
  current(): C
  /** Resolves when the next one runs. Rejects when it is disposed of meanwhile. */
  restart(): Promise<void>
}

const firstDelayMs = 200
const longestDelayMs = 5_000
/** A process that ran this long was healthy: its exit resets the delays. */
const steadyMs = 10_000

/** Rejects when the first start fails; later ones are tried for ever. */
export async function supervise<C extends RunningChild>(options: SuperviseOptions<C>): Promise<Supervised<C>> {
  let child = await options.launch(undefined)
  const stopping = new AbortController()
  let started = Promise.withResolvers<void>()
  let isMeant = false
  const watching = watch()

  async function watch(): Promise<void> {
    let delayMs = firstDelayMs
    while (!stopping.signal.aborted) {
      const startedAt = Date.now()
      const exit = await child.exited
      if (Date.now() - startedAt >= steadyMs) delayMs = firstDelayMs
      if (isMeant) delayMs = 0
      else if (!stopping.signal.aborted) options.report(`${options.name} (process ${child.pid}) ${describe(exit)}`)
      delayMs = await startAgain(delayMs)
    }
  }

  /** Tries until it runs or is no longer wanted; returns the next delay. */
  async function startAgain(firstTryMs: number): Promise<number> {
    for (let delayMs = firstTryMs; ; delayMs = longer(delayMs)) {
      await delay(delayMs, undefined, { signal: stopping.signal }).catch(() => {})
      if (stopping.signal.aborted) return delayMs
      const next = await options.launch(child).catch((error: Error) => error)
      if (next instanceof Error) {
        options.report(`${options.name} could not be restarted: ${next.message}`)
        continue
      }
      child = next
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
    await child.stop() // the one that was just being started
  }
  return { current: () => child, restart, [Symbol.asyncDispose]: stop }
}

const longer = (delayMs: number) => Math.min(2 * Math.max(delayMs, firstDelayMs / 2), longestDelayMs)
const describe = ({ code, signal }: ChildExit) => `exited with ${signal ?? `code ${code}`}`
