import { LRUCache } from 'lru-cache'

const KEYS_MAX = 100_000

/** Sustained requests per second, and the burst. Zero in either disables the limit. */
export interface RateLimit {
  perSecond: number
  burst: number
}

export interface Verdict {
  isAllowed: boolean
  limit: number
  /** Requests that would be admitted now. */
  remaining: number
  /** Seconds until the complete burst is available again. */
  resetSeconds: number
  retryAfterSeconds: number
}

interface RateLimiter {
  /** Counts one request. Null when the limit is off. */
  take(key: string): Verdict | null
  peek(key: string): Verdict | null
  /** Charges an admitted request with more requests, even beyond the burst. */
  charge(key: string, requests: number): Verdict | null
}

/** GCRA: stores per key the theoretical arrival time of the next request. `now`: milliseconds, monotonic. */
export function createRateLimiter({ perSecond, burst }: RateLimit, now: () => number): RateLimiter {
  if (perSecond === 0 || burst === 0) return { take: () => null, peek: () => null, charge: () => null }
  const intervalMs = 1000 / perSecond
  const toleranceMs = intervalMs * burst
  const arrivals = new LRUCache<string, number>({ max: KEYS_MAX })

  function judge(key: string, at: number, requests = 1): { next: number; verdict: Verdict } {
    const expected = Math.max(arrivals.get(key) ?? at, at)
    const waitMs = expected + requests * intervalMs - toleranceMs - at
    const isAllowed = waitMs <= 0
    const next = isAllowed ? expected + requests * intervalMs : expected
    const verdict = {
      isAllowed,
      limit: burst,
      remaining: Math.max(0, Math.floor((toleranceMs - (next - at)) / intervalMs)),
      resetSeconds: Math.ceil((next - at) / 1000),
      retryAfterSeconds: isAllowed ? 0 : Math.max(1, Math.ceil(waitMs / 1000)),
    }
    return { next, verdict }
  }

  return {
    take(key) {
      const { next, verdict } = judge(key, now())
      if (verdict.isAllowed) arrivals.set(key, next)
      return verdict
    },
    peek: (key) => judge(key, now()).verdict,
    charge(key, requests) {
      const at = now()
      arrivals.set(key, Math.max(arrivals.get(key) ?? at, at) + requests * intervalMs)
      return judge(key, at, 0).verdict
    },
  }
}
