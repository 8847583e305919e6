import { describe, expect, it } from 'vitest'
import { honouredSeconds, retryDelaySeconds } from '../../src/delivery/retry-schedule.ts'

const middle = { scale: 1, random: () => 0.5, askedSeconds: null }
const DAY = 86_400

describe('retryDelaySeconds', () => {
  it('waits 5 s, 5 and 30 min, 2, 5, 10, 14, 20, and 24 h between attempts, and then stops', () => {
    const delays = Array.from({ length: 11 }, (_, index) => retryDelaySeconds(index + 1, middle))
    const hours = [2, 5, 10, 14, 20, 24].map((hour) => hour * 3600)
    expect(delays).toEqual([5, 300, 1800, ...hours, null, null])
  })

  it('varies each delay by a fifth in both directions', () => {
    expect(retryDelaySeconds(2, { ...middle, random: () => 0 })).toBeCloseTo(240)
    expect(retryDelaySeconds(2, { ...middle, random: () => 1 })).toBeCloseTo(360)
  })

  it('multiplies every delay by the scale', () => {
    expect(retryDelaySeconds(9, { ...middle, scale: 0.01 })).toBeCloseTo(864)
    expect(retryDelaySeconds(9, { ...middle, scale: 0 })).toBe(0)
  })

  it.each([
    [0, 300],
    [299, 300],
    [301, 301],
    [DAY, DAY],
    [DAY + 1, DAY],
    [1e12, DAY],
    [Number.MAX_VALUE, DAY],
    [null, 300],
  ])('with Retry-After %s s, waits %s s: never less than planned, never more than a day', (askedSeconds, expected) => {
    expect(retryDelaySeconds(2, { ...middle, askedSeconds })).toBe(expected)
  })

  it('does not retry after the last attempt because of Retry-After', () => {
    expect(retryDelaySeconds(10, { ...middle, askedSeconds: 60 })).toBeNull()
  })
})

describe('honouredSeconds', () => {
  it('grants up to a day times the scale', () => {
    expect(honouredSeconds(600, 0.01)).toBe(600)
    expect(honouredSeconds(DAY, 0.01)).toBeCloseTo(864)
    expect(honouredSeconds(null, 1)).toBe(0)
  })
})
