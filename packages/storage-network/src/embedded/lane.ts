import { NetworkError } from '../errors.ts'

/**
 * Calls of one kind to one disk. Only so many are under way at once, and each is given up in time: a disk that hangs
 * keeps that many threads of the process, and nobody waits for it (docs/adr/0063).
 */
export interface Lane {
  /**
   * Makes the call when its turn comes. `dropLate` puts away what a call that was given up brings in the end.
   * @throws what the call throws; NetworkError (`hanging`): `copy_failed` when it was given up, `unreachable` when as
   * many as may be under way have been
   */
  run<T>(call: () => Promise<T>, dropLate?: (value: T) => Promise<unknown>): Promise<T>
  /** Makes a call that puts something away, however long that takes. Resolves when it is done, or failed, or given up. */
  tidy(call: () => Promise<unknown>): Promise<void>
}

export interface LaneOptions {
  /** Calls under way at once. */
  width: number
  deadlineMs: number
}

interface Waiting {
  start(): void
  giveUp(error: NetworkError): void
  /** It is made even when nobody waits for it any more. */
  isTidying: boolean
}

export function createLane({ width, deadlineMs }: LaneOptions): Lane {
  let underWay = 0
  let late = 0
  let waiting: Waiting[] = []

  const giveUpWaiting = () => {
    for (const { giveUp } of waiting) giveUp(diskHangs())
    waiting = waiting.filter(({ isTidying }) => isTidying)
  }
  const begin = async <T>(call: () => Promise<T>, dropLate?: (value: T) => Promise<unknown>): Promise<T> => {
    const { promise, resolve, reject } = Promise.withResolvers<T>()
    let isLate = false
    underWay += 1
    const timer = setTimeout(() => {
      isLate = true
      late += 1
      reject(noAnswer())
      if (late === width) giveUpWaiting()
    }, deadlineMs)
    const end = () => {
      clearTimeout(timer)
      underWay -= 1
      if (isLate) late -= 1
      while (underWay < width && waiting.length > 0) waiting.shift()?.start()
    }
    call().then(
      (value) => {
        if (isLate && dropLate) void tidy(() => dropLate(value))
        resolve(value)
        end()
      },
      (error: unknown) => {
        reject(error)
        end()
      },
    )
    return await promise
  }
  const inTurn = (start: () => void, giveUp: Waiting['giveUp'], isTidying: boolean) => {
    if (underWay < width) start()
    else waiting.push({ start, giveUp, isTidying })
  }
  const tidy: Lane['tidy'] = async (call) => {
    const { promise, resolve } = Promise.withResolvers<void>()
    const done = () => resolve()
    inTurn(() => void begin(call).then(done, done), done, true)
    if (late < width) await promise
  }
  const run = async <T>(call: () => Promise<T>, dropLate?: (value: T) => Promise<unknown>): Promise<T> => {
    if (late >= width) throw diskHangs()
    const { promise, resolve, reject } = Promise.withResolvers<T>()
    inTurn(() => resolve(begin(call, dropLate)), reject, false)
    return await promise
  }
  return { run, tidy }
}

export function diskHangs(cause?: unknown): NetworkError {
  return new NetworkError('unreachable', "the embedded network's disk hangs", { cause, fault: 'hanging' })
}

function noAnswer(): NetworkError {
  return new NetworkError('copy_failed', "the embedded network's disk did not answer in time", { fault: 'hanging' })
}
