import { expect, it } from 'vitest'
import { retryDelaySeconds } from '../../src/work/failures.ts'

it('doubles from the base and spends about six hours on eight attempts', () => {
  const delays = [0, 1, 2, 3, 4, 5, 6].map((failures) => retryDelaySeconds(180, failures, () => 0.5))
  expect(delays).toEqual([180, 360, 720, 1440, 2880, 5760, 11_520])
  const hours = delays.reduce((sum, delay) => sum + delay) / 3600
  expect(hours).toBeCloseTo(6.35, 2)
})

it('spreads by 20% in both directions', () => {
  expect(retryDelaySeconds(100, 0, () => 0)).toBe(80)
  expect(retryDelaySeconds(100, 0, () => 1)).toBeCloseTo(120)
})
