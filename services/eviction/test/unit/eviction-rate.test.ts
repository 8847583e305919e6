import { expect, it } from 'vitest'
import { createEvictionRate } from '../../src/eviction-rate.ts'

it('lets no more than its number through in any minute, and says how long to wait', () => {
  let now = 0
  const rate = createEvictionRate(2, () => now)
  expect(rate.take()).toBe(0)
  now = 30_000
  expect(rate.take()).toBe(0)
  expect(rate.hasRoom()).toBe(false)
  expect(rate.take()).toBe(30)
  now = 60_000
  expect(rate.hasRoom()).toBe(true)
  expect(rate.take()).toBe(0)
  expect(rate.take()).toBe(30)
})
