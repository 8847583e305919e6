import { AppError } from '@tideport/service-kit/process/app-error'

const KEYS_MAX = 10_000

interface TokenBucket {
  /** Throws 429 with `Retry-After` when the key has no use left. */
  take(key: string): void
  giveBack(key: string): void
}

interface TokenBucketOptions {
  burst: number
  /** Seconds until one use becomes available again. */
  everySeconds: number
  /** Message of the 429 response. */
  refusal: string
}

export function createTokenBucket({ burst, everySeconds, refusal }: TokenBucketOptions): TokenBucket {
  /** Time in ms when all uses of a key are available again. The most recently used key is the last entry. */
  const used = new Map<string, number>()
  const stepMs = everySeconds * 1000
  return {
    take(key) {
      const now = Date.now()
      const until = Math.max(used.get(key) ?? 0, now)
      if (until > now + (burst - 1) * stepMs) {
        throw new AppError('rate_limited', refusal, { retryAfterSeconds: Math.ceil(everySeconds) })
      }
      used.delete(key)
      used.set(key, until + stepMs)
      for (const oldest of used.keys()) {
        if (used.size <= KEYS_MAX) break
        used.delete(oldest)
      }
    },
    giveBack(key) {
      const until = used.get(key)
      if (until !== undefined) used.set(key, until - stepMs)
    },
  }
}
