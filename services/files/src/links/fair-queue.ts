import { AppError } from '@tideport/service-kit/process/app-error'

const RETRY_AFTER_SECONDS = 2

interface FairQueue {
  /** Throws 429 when a key has too much waiting work. When too much work waits in total, the last entry gets 503. */
  run<T>(keys: readonly string[], work: () => Promise<T>): Promise<T>
}

interface FairQueueOptions {
  waitingMax: number
  waitingPerKeyMax: number
  refusal: string
}

interface Waiting {
  start: number
  begin: () => void
  refuse: (error: AppError) => void
}

/** Start-time fair queueing: many requests of one caller delay another caller by one turn. */
export function createFairQueue({ waitingMax, waitingPerKeyMax, refusal }: FairQueueOptions): FairQueue {
  const ends = new Map<string, number>()
  const waiting: Waiting[] = []
  let now = 0
  let isRunning = false

  const error = (code: 'rate_limited' | 'unavailable') =>
    new AppError(code, refusal, { retryAfterSeconds: RETRY_AFTER_SECONDS })

  /**
   * Throws unless the queue has room for work with this start time. Otherwise, the work with the latest start time is
   * removed.
   */
  function makeRoom(start: number): void {
    if (start - now > waitingPerKeyMax) throw error('rate_limited')
    if (waiting.length < waitingMax) return
    const last = waiting.reduce((one, other) => (other.start >= one.start ? other : one))
    if (last.start <= start) throw error('unavailable')
    waiting.splice(waiting.indexOf(last), 1)
    last.refuse(error('unavailable'))
  }

  function beginNext(): void {
    const [first] = waiting
    if (first === undefined) {
      isRunning = false
      ends.clear()
      return
    }
    const next = waiting.reduce((one, other) => (other.start < one.start ? other : one), first)
    waiting.splice(waiting.indexOf(next), 1)
    now = next.start
    for (const [key, end] of ends) if (end <= now) ends.delete(key)
    next.begin()
  }

  return {
    async run(keys, work) {
      const start = Math.max(now, ...keys.map((key) => ends.get(key) ?? now))
      if (isRunning) makeRoom(start)
      for (const key of keys) ends.set(key, start + 1)
      if (isRunning) await new Promise<void>((begin, refuse) => waiting.push({ start, begin, refuse }))
      isRunning = true
      try {
        return await work()
      } finally {
        beginNext()
      }
    },
  }
}
