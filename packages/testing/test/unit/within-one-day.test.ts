import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { withinOneDay } from '../../src/within-one-day.ts'

beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'] }))
afterEach(() => void vi.useRealTimers())

it('waits for the next day in the last two minutes of one, and not before', async () => {
  vi.setSystemTime('2024-02-29T23:58:09Z')
  await withinOneDay()
  vi.setSystemTime('2024-02-29T23:59:59Z')
  let hasBegun = false
  const begun = withinOneDay().then(() => (hasBegun = true))
  await new Promise((resolve) => setImmediate(resolve))
  expect(hasBegun).toBe(false)
  vi.setSystemTime('2024-03-01T00:00:00Z')
  await begun
})
