import { beforeEach, describe, expect, it } from 'vitest'
import { createRateLimiter } from '../../src/limits/rate-limit.ts'

let ms = 0
const now = () => ms
beforeEach(() => {
  ms = 1_000_000
})

const countAllowed = (take: () => { isAllowed: boolean } | null, times: number) =>
  Array.from({ length: times }, take).filter((verdict) => verdict?.isAllowed).length

describe('the rate limiter', () => {
  it('admits a burst, then the rate, and never more in any window', () => {
    const limiter = createRateLimiter({ perSecond: 50, burst: 100 }, now)
    expect(countAllowed(() => limiter.take('a'), 500)).toBe(100)
    ms += 1000
    expect(countAllowed(() => limiter.take('a'), 500)).toBe(50)
    ms += 10_000
    expect(countAllowed(() => limiter.take('a'), 500)).toBe(100)
    let allowed = 0
    for (let step = 0; step < 1000; step++) {
      ms += 10
      allowed += countAllowed(() => limiter.take('a'), 3)
    }
    expect(allowed).toBe(500)
  })

  it('reports the remaining requests, the reset time, and a wait after which the next request passes', () => {
    const limiter = createRateLimiter({ perSecond: 2, burst: 3 }, now)
    expect(limiter.take('a')).toEqual({
      isAllowed: true,
      limit: 3,
      remaining: 2,
      resetSeconds: 1,
      retryAfterSeconds: 0,
    })
    expect(limiter.take('a')).toMatchObject({ remaining: 1, resetSeconds: 1 })
    expect(limiter.take('a')).toMatchObject({ remaining: 0, resetSeconds: 2 })
    const refused = limiter.take('a')
    expect(refused).toEqual({ isAllowed: false, limit: 3, remaining: 0, resetSeconds: 2, retryAfterSeconds: 1 })
    ms += 1000 * (refused?.retryAfterSeconds ?? 0)
    expect(limiter.take('a')?.isAllowed).toBe(true)
  })

  it('charges the actual cost of a request, even beyond the remaining requests', () => {
    const limiter = createRateLimiter({ perSecond: 2, burst: 10 }, now)
    limiter.take('a')
    expect(limiter.charge('a', 4)).toMatchObject({ remaining: 5, resetSeconds: 3 })
    expect(limiter.charge('a', 20)).toMatchObject({ isAllowed: false, remaining: 0, retryAfterSeconds: 8 })
    expect(limiter.take('b')?.remaining).toBe(9)
    ms += 7000
    expect(limiter.take('a')?.isAllowed).toBe(false)
    ms += 1000
    expect(limiter.take('a')).toMatchObject({ isAllowed: true, remaining: 0 })
  })

  it('charges nothing for rejected requests and for peeking', () => {
    const limiter = createRateLimiter({ perSecond: 1, burst: 1 }, now)
    expect(limiter.peek('a')?.isAllowed).toBe(true)
    limiter.take('a')
    countAllowed(() => limiter.take('a'), 1000)
    expect(limiter.peek('a')?.isAllowed).toBe(false)
    ms += 1000
    expect(limiter.take('a')?.isAllowed).toBe(true)
  })

  it.each([
    { perSecond: 0, burst: 5 },
    { perSecond: 5, burst: 0 },
  ])('is off with %j', (limit) => {
    const limiter = createRateLimiter(limit, now)
    expect(limiter.take('a')).toBeNull()
    expect(limiter.peek('a')).toBeNull()
    expect(limiter.charge('a', 100)).toBeNull()
  })
})
