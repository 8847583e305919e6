import { describe, expect, it } from 'vitest'
import { every } from '../../src/process/every.ts'
import { createLogger } from '../../src/telemetry/logger.ts'

const HOUR_MS = 3_600_000

function setup() {
  const lines: string[] = []
  const stop = new AbortController()
  const log = createLogger({ service: 'test', level: 'info', destination: { write: (line) => void lines.push(line) } })
  return { lines, stop, options: { signal: stop.signal, log } }
}

describe('every', () => {
  it('runs immediately, and again when woken, without waiting for the interval', async () => {
    const { options } = setup()
    let runs = 0
    let done = Promise.withResolvers<void>()
    await using task = every(HOUR_MS, 'count', async () => {
      runs += 1
      done.resolve()
    }, options) // biome-ignore format: the task is the point
    await done.promise
    expect(runs).toBe(1)
    done = Promise.withResolvers<void>()
    task.wake()
    await done.promise
    expect(runs).toBe(2)
  })

  it('never overlaps: waking during a run causes exactly one more run afterwards', async () => {
    const { options } = setup()
    const gates = [Promise.withResolvers<void>(), Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const started = [Promise.withResolvers<void>(), Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    let runs = 0
    let running = 0
    let most = 0
    const task = every(HOUR_MS, 'gated', async () => {
      const run = runs++
      most = Math.max(most, ++running)
      started[run]?.resolve()
      await gates[run]?.promise
      running -= 1
    }, options) // biome-ignore format: the task is the point
    await started[0]?.promise
    task.wake()
    task.wake()
    gates[0]?.resolve()
    await started[1]?.promise
    gates[1]?.resolve()
    await task[Symbol.asyncDispose]()
    expect({ runs, most }).toEqual({ runs: 2, most: 1 })
  })

  it('continues after failed runs, and logs a repeated failure once', async () => {
    const { options, lines } = setup()
    const done = Promise.withResolvers<void>()
    const failures = ['a', 'a', 'a', '', 'a', 'b']
    let runs = 0
    const task = async () => {
      const failure = failures[runs++]
      if (failure === undefined) done.resolve()
      else if (failure !== '') throw new Error(failure)
    }
    await using _clock = every(1, 'flaky', task, options)
    await done.promise
    const logged = lines.map((line) => JSON.parse(line) as { err: { message: string }; msg: string })
    expect(logged.map(({ err }) => err.message)).toEqual(['a', 'a', 'b'])
    expect(logged[0]).toMatchObject({ task: 'flaky', msg: 'periodic task failed' })
  })

  it('stops when the signal aborts, after the current run, which receives the signal', async () => {
    const { options, stop } = setup()
    let seen: AbortSignal | undefined
    let isFinished = false
    const task = every(HOUR_MS, 'long', async (signal) => {
      seen = signal
      await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }))
      isFinished = true
    }, options) // biome-ignore format: the task is the point
    stop.abort()
    await task.stopped
    expect(seen?.aborted).toBe(true)
    expect(isFinished).toBe(true)
  })
})
