import { describe, expect, it } from 'vitest'
import { retryDelaySeconds } from '../../src/retry-schedule.ts'

const middle = () => 0.5

describe('retryDelaySeconds', () => {
  it('waits 5 s, 5 and 30 min, 2, 5, 10, 14, 20 and 24 h after the attempts, then gives up', () => {
    const delays = Array.from({ length: 11 }, (_, index) => retryDelaySeconds(index + 1, { scale: 1, random: middle }))
    const hours = [2, 5, 10, 14, 20, 24].map((hour) => hour * 3600)
    expect(delays).toEqual([5, 300, 1800, ...hours, null, null])
  })

  it('spreads each delay by a fifth to both sides', () => {
    expect(retryDelaySeconds(2, { scale: 1, random: () => 0 })).toBeCloseTo(240)
    expect(retryDelaySeconds(2, { scale: 1, random: () => 1 })).toBeCloseTo(360)
  })

  it('is multiplied by the scale as a whole', () => {
    expect(retryDelaySeconds(9, { scale: 0.01, random: middle })).toBeCloseTo(864)
    expect(retryDelaySeconds(9, { scale: 0, random: middle })).toBe(0)
  })
})
