import { NetworkError } from '../errors.ts'

/**
 * Limits concurrent calls of one kind to a disk and their duration. An unresponsive disk then blocks few threads (ADR
 * 0015).
 */
export interface Lane {
  /**
   * Runs the call when a slot is free. `dropLate` disposes of a result that arrives after the deadline.
   * @throws NetworkError (`hanging`): `copy_failed` after the deadline, `unreachable` when all slots are blocked
   */
  run<T>(call: () => Promise<T>, dropLate?: (value: T) => Promise<unknown>): Promise<T>
  /**
   * Runs a cleanup call, if necessary later. Never rejects. Resolves when the call completes, fails, or times out, and
   * immediately when all slots are blocked.
   */
  tidy(call: () => Promise<unknown>): Promise<void>
}

export interface LaneOptions {
  width: number
  deadlineMs: number
}

interface Waiting {
  start(): void
  giveUp(error: NetworkError): void
  isTidying: boolean
}

interface UnderWay {
  startedAtMs: number
  giveUp(): void
}

/** Checks of running calls per deadline. A timer for each call would cost as much as the call. */
const LOOKS = 4

export function createLane({ width, deadlineMs }: LaneOptions): Lane {
  const inTime = new Set<UnderWay>()
  let late = 0
  let waiting: Waiting[] = []
  let looking: NodeJS.Timeout | undefined

  const hasRoom = () => inTime.size + late < width
  function look(): void {
    const now = performance.now()
    for (const one of inTime) if (now - one.startedAtMs >= deadlineMs) one.giveUp()
    if (late >= width) {
      for (const { giveUp } of waiting) giveUp(diskHangs())
      waiting = waiting.filter(({ isTidying }) => isTidying)
    }
    if (inTime.size > 0) return
    clearInterval(looking)
    looking = undefined
  }
  function end(one: UnderWay): void {
    if (!inTime.delete(one)) late -= 1
    while (waiting.length > 0 && hasRoom()) waiting.shift()?.start()
  }
  function begin<T>(call: () => Promise<T>, dropLate?: (value: T) => Promise<unknown>): Promise<T> {
    return new Promise((resolve, reject) => {
      const one = {
        startedAtMs: performance.now(),
        giveUp() {
          inTime.delete(one)
          late += 1
          reject(noAnswer())
        },
      }
      inTime.add(one)
      looking ??= setInterval(look, deadlineMs / LOOKS).unref()
      call().then(
        (value) => {
          if (dropLate && !inTime.has(one)) void tidy(() => dropLate(value))
          resolve(value)
          end(one)
        },
        (error: unknown) => {
          reject(error)
          end(one)
        },
      )
    })
  }
  async function tidy(call: () => Promise<unknown>): Promise<void> {
    const done = () => undefined
    if (hasRoom()) return void (await begin(call).then(done, done))
    const { promise, resolve } = Promise.withResolvers<unknown>()
    waiting.push({ start: () => resolve(begin(call).then(done, done)), giveUp: resolve, isTidying: true })
    if (late < width) await promise
  }
  return {
    run(call, dropLate) {
      if (hasRoom()) return begin(call, dropLate)
      if (late >= width) return Promise.reject(diskHangs())
      return new Promise((resolve, reject) => {
        waiting.push({ start: () => resolve(begin(call, dropLate)), giveUp: reject, isTidying: false })
      })
    },
    tidy,
  }
}

export function diskHangs(cause?: unknown): NetworkError {
  return new NetworkError('unreachable', "the embedded network's disk is unresponsive", { cause, fault: 'hanging' })
}

function noAnswer(): NetworkError {
  return new NetworkError('copy_failed', "the embedded network's disk did not respond in time", { fault: 'hanging' })
}
