import { expect, it } from 'vitest'
import { hasEnoughLease } from '../../src/state/file-copies.ts'

const DAY_MS = 24 * 3600 * 1000
const now = Date.UTC(2026, 0, 1)
const daysFromNow = (days: number) => new Date(now + days * DAY_MS)
const leased = (days: number) => ({ leasedAt: daysFromNow(-days) })

it('is always enough where copies do not expire', () => {
  expect(hasEnoughLease(leased(1), null, now)).toBe(true)
})

it.each([
  { leasedDaysAgo: 1, daysLeft: 14, isEnough: false },
  { leasedDaysAgo: 1, daysLeft: 15, isEnough: true },
  { leasedDaysAgo: 275, daysLeft: 90, isEnough: false },
  { leasedDaysAgo: 275, daysLeft: 92, isEnough: true },
  { leasedDaysAgo: 1, daysLeft: -1, isEnough: false },
])('requires more than 14 days and more than a quarter of the lease: $daysLeft days left', (lease) => {
  expect(hasEnoughLease(leased(lease.leasedDaysAgo), daysFromNow(lease.daysLeft), now)).toBe(lease.isEnough)
})
