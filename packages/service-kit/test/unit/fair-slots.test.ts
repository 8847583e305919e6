import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { holderOf } from '../../src/http/transfer.ts'
import { FairSlots, type FairSlotsOptions, type Holder } from '../../src/process/fair-slots.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const bytesPerSecond = { fast: 1024 * 1024, slow: 1 }

function slotsOf(options: Omit<FairSlotsOptions, 'refusal'>) {
  const slots = new FairSlots({ ...options, refusal: (bound) => new Error(bound) })
  const cuts: string[] = []

  /** A transfer whose client reads this many bytes per second. */
  function take(holder: Holder, rate: number, signal?: AbortSignal) {
    const startedAt = performance.now()
    const pace = () => {
      const movedBytes = Math.floor(((performance.now() - startedAt) / 1000) * rate)
      return { movedBytes, isWaiting: true }
    }
    const name = `${holder.group} ${holder.address}`
    const taken = slots.take({ holder, pace, cut: (bound) => cuts.push(`${name}: ${bound}`) }, signal)
    const outcome = taken.then(
      () => 'taken',
      (error: Error) => error.message,
    )
    return { taken, outcome }
  }
  return { slots, take, cuts }
}

const visitor = (address: string) => holderOf({ kind: 'public' }, address)
const account = (accountId: string, address = '192.0.2.1') =>
  holderOf({ kind: 'account', accountId, method: 'api_key', scopes: null }, address)
const after = (seconds: number) => vi.advanceTimersByTimeAsync(seconds * 1000)

describe('the holder of a transfer', () => {
  it('is the account, or the /24 or /48 of an anonymous client', () => {
    expect(account('a').group).toBe('a')
    expect(visitor('198.51.100.7').group).toBe('198.51.100.0/24')
    expect(visitor('::ffff:198.51.100.9').group).toBe('198.51.100.0/24')
    expect(visitor('2001:db8:1:2::3').group).toBe('2001:db8:1::/48')
    expect(visitor('unknown').group).toBe('unknown')
  })
})

describe('a new transfer without a free slot', () => {
  it('takes the slot of a client that was slow for 2 s if each slot belongs to a different network', async () => {
    const { take, cuts } = slotsOf({ max: 8 })
    for (const network of [1, 2, 3, 4, 5, 6]) take(visitor(`10.0.${network}.1`), bytesPerSecond.slow)
    await after(1.5)
    const { outcome } = take(visitor('10.0.7.1'), bytesPerSecond.fast)
    await after(0.9)
    expect(await outcome).toBe('taken')
    expect(cuts).toHaveLength(1)
  })

  it('takes a slot of an address with the most slots if all slots belong to its own network', async () => {
    const { take, cuts } = slotsOf({ max: 8 })
    for (const host of [1, 1, 1, 2, 2, 2]) take(visitor(`10.0.1.${host}`), bytesPerSecond.slow)
    await after(1)
    expect(await take(visitor('10.0.1.3'), bytesPerSecond.slow).outcome).toBe('taken')
    expect(cuts).toHaveLength(1)
  })

  it('takes the slot of a client with the same address only after 10 s of slowness', async () => {
    const { take, cuts } = slotsOf({ max: 8, addressMax: 1 })
    take(visitor('10.0.1.1'), bytesPerSecond.slow)
    await after(8)
    const { outcome } = take(visitor('10.0.1.1'), bytesPerSecond.fast)
    await after(1)
    expect(await outcome).toBe('address')
    await after(2)
    expect(await take(visitor('10.0.1.1'), bytesPerSecond.fast).outcome).toBe('taken')
    expect(cuts).toEqual(['10.0.1.0/24 10.0.1.1: address'])
  })

  it('is rejected after a second if all transfers are fast', async () => {
    const { take, cuts } = slotsOf({ max: 4 })
    for (let index = 0; index < 3; index += 1) take(visitor('10.0.1.1'), bytesPerSecond.fast)
    await after(60)
    const { outcome } = take(visitor('10.0.2.1'), bytesPerSecond.fast)
    await after(1)
    expect(await outcome).toBe('process')
    expect(cuts).toEqual([])
  })

  it('is rejected if its holder would have more slots than others, or as many as others that were slow for less than 10 s', async () => {
    const { take, cuts } = slotsOf({ max: 4 })
    for (const address of ['10.0.1.1', '10.0.1.1', '10.0.2.1']) take(visitor(address), bytesPerSecond.slow)
    await after(2)
    const refused = [take(visitor('10.0.1.1'), bytesPerSecond.slow), take(visitor('10.0.2.1'), bytesPerSecond.slow)]
    await after(1)
    expect(await Promise.all(refused.map(({ outcome }) => outcome))).toEqual(['process', 'process'])
    expect(cuts).toEqual([])
  })

  it('takes no slot after it stopped waiting', async () => {
    const { slots, take } = slotsOf({ max: 1 })
    const first = take(visitor('10.0.1.1'), bytesPerSecond.fast)
    const gone = new AbortController()
    const { outcome } = take(visitor('10.0.2.1'), bytesPerSecond.fast, gone.signal)
    gone.abort(new Error('gone'))
    expect(await outcome).toBe('gone')
    const leave = await first.taken
    leave()
    leave()
    expect(slots.taken).toBe(0)
  })
})

describe('slots', () => {
  it('are reserved for accounts while anonymous clients use as many as they can, and vice versa', async () => {
    for (const [many, one] of [
      [visitor, account],
      [account, visitor],
    ] as const) {
      const { slots, take } = slotsOf({ max: 8 })
      const crowd = Array.from({ length: 20 }, (_, index) => take(many(`10.0.${index}.1`), bytesPerSecond.fast).outcome)
      expect(slots.taken).toBe(6)
      expect(await take(one('10.1.0.1'), bytesPerSecond.fast).outcome).toBe('taken')
      await after(1)
      expect((await Promise.all(crowd)).filter((outcome) => outcome === 'process')).toHaveLength(14)
    }
  })

  it('are limited to one half for one account, and for one network', async () => {
    const { slots, take } = slotsOf({ max: 8, addressMax: 1 })
    for (let index = 0; index < 8; index += 1) take(account('a', `10.0.${index}.1`), bytesPerSecond.fast)
    expect(slots.taken).toBe(4)
    for (let index = 0; index < 8; index += 1) take(visitor(`10.1.0.${index}`), bytesPerSecond.fast)
    expect(slots.taken).toBe(8)
    await after(1)
  })

  it('go to the holder with the fewest slots when they become free', async () => {
    const { take } = slotsOf({ max: 4 })
    const first = take(visitor('10.0.1.1'), bytesPerSecond.fast)
    for (let index = 0; index < 2; index += 1) take(visitor('10.0.1.1'), bytesPerSecond.fast)
    const greedy = take(visitor('10.0.1.1'), bytesPerSecond.fast)
    const newcomer = take(visitor('10.0.2.1'), bytesPerSecond.fast)
    ;(await first.taken)()
    expect(await newcomer.outcome).toBe('taken')
    await after(1)
    expect(await greedy.outcome).toBe('process')
  })

  it('have a bounded queue, which rejects the last transfer of the group with the most waiting transfers', async () => {
    const { take } = slotsOf({ max: 4 })
    for (let index = 0; index < 3; index += 1) take(visitor('10.0.1.1'), bytesPerSecond.fast)
    const crowd = Array.from(
      { length: 16 },
      (_, index) => take(visitor(`10.0.1.${index}`), bytesPerSecond.fast).outcome,
    )
    const other = take(visitor('10.0.2.1'), bytesPerSecond.fast).outcome
    expect(await crowd[15]).toBe('process')
    await after(0.9)
    expect(await Promise.race([other, 'waits'])).toBe('waits')
    await after(0.1)
  })
})
