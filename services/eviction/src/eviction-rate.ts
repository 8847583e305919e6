const WINDOW_MS = 60_000

/** How many hot copies this process may still drop in this minute. */
export interface EvictionRate {
  hasRoom(): boolean
  /** Takes one and answers 0, or takes none and answers the seconds until there is room. */
  take(): number
}

/** At most `perMinute` takes in any window of 60 seconds. `now` is in milliseconds and never goes back. */
export function createEvictionRate(perMinute: number, now: () => number = () => performance.now()): EvictionRate {
  const takenAt: number[] = []
  const forgetOld = () => {
    while (takenAt[0] !== undefined && takenAt[0] <= now() - WINDOW_MS) takenAt.shift()
  }
  return {
    hasRoom() {
      forgetOld()
      return takenAt.length < perMinute
    },
    take() {
      forgetOld()
      const [oldest] = takenAt
      if (oldest !== undefined && takenAt.length >= perMinute) return (oldest + WINDOW_MS - now()) / 1000
      takenAt.push(now())
      return 0
    },
  }
}
