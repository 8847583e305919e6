import { setTimeout as delay } from 'node:timers/promises'

/** Resolves after the time of all earlier calls: their bytes divided by `bytesPerSecond`. */
export type Pace = (bytes: number, signal: AbortSignal) => Promise<unknown>

export function createPace(bytesPerSecond: number): Pace {
  let freeAt = performance.now()
  return (bytes, signal) => {
    const now = performance.now()
    const begin = Math.max(freeAt, now)
    freeAt = begin + (bytes / bytesPerSecond) * 1000
    return delay(begin - now, undefined, { signal })
  }
}
