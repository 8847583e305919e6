import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { holderOf } from '../../src/http/transfer.ts'
import { FairSlots, type FairSlotsOptions, type Holder } from '../../src/process/fair-slots.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const bytesPerSecond = { fast: 1024 * 1024, slow: 1 }

function slotsOf(options: Omit<FairSlotsOptions, 'refusal'>) {
  const slots = new FairSlots({ ...options, refusal: (bound) => new Error(bound) })
  const cuts: string[] = []

  /** A transfer whose client takes so many bytes a second. */
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

describe('a newcomer where no slot is free', () => {
  it('takes the slot of a client that was slow for 2 s, where as many networks as there are slots hold one each', async () => {
    const { take, cuts } = slotsOf({ max: 8 })
    for (const network of [1, 2, 3, 4, 5, 6]) take(visitor(`10.0.${network}.1`), bytesPerSecond.slow)
    await after(1.5)
    const { outcome } = take(visitor('10.0.7.1'), bytesPerSecond.fast)
    await after(0.9)
    expect(await outcome).toBe('taken')
    expect(cuts).toHaveLength(1)
  })

  it('takes the slot of the address that holds most, where all are of its own network', async () => {
    const { take, cuts } = slotsOf({ max: 8 })
    for (const host of [1, 1, 1, 2, 2, 2]) take(visitor(`10.0.1.${host}`), bytesPerSecond.slow)
    await after(1)
    expect(await take(visitor('10.0.1.3'), bytesPerSecond.slow).outcome).toBe('taken')
    expect(cuts).toHaveLength(1)
  })

  it('takes the slot of a client of its own address only after 10 s of slowness', async () => {
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

  it('is refused after a second where all transfers are fast', async () => {
    const { take, cuts } = slotsOf({ max: 4 })
    for (let index = 0; index < 3; index += 1) take(visitor('10.0.1.1'), bytesPerSecond.fast)
    await after(60)
    const { outcome } = take(visitor('10.0.2.1'), bytesPerSecond.fast)
    await after(1)
    expect(await outcome).toBe('process')
    expect(cuts).toEqual([])
  })

  it('is refused where it holds more than others, and as much as others that were slow for less than 10 s', async () => {
    const { take, cuts } = slotsOf({ max: 4 })
    for (const address of ['10.0.1.1', '10.0.1.1', '10.0.2.1']) take(visitor(address), bytesPerSecond.slow)
    await after(2)
    const refused = [take(visitor('10.0.1.1'), bytesPerSecond.slow), take(visitor('10.0.2.1'), bytesPerSecond.slow)]
    await after(1)
    expect(await Promise.all(refused.map(({ outcome }) => outcome))).toEqual(['process', 'process'])
    expect(cuts).toEqual([])
  })

  it('leaves nothing behind when it goes while it waits', async () => {
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
  it('are kept for accounts where anonymous clients take all they can, and the other way round', async () => {
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

  it('are to one account, and to one network, half at most', async () => {
    const { slots, take } = slotsOf({ max: 8, addressMax: 1 })
    for (let index = 0; index < 8; index += 1) take(account('a', `10.0.${index}.1`), bytesPerSecond.fast)
    expect(slots.taken).toBe(4)
    for (let index = 0; index < 8; index += 1) take(visitor(`10.1.0.${index}`), bytesPerSecond.fast)
    expect(slots.taken).toBe(8)
    await after(1)
  })

  it('go to those who hold fewest when they become free', async () => {
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

  it('have a line of bounded length before them, whose end is that of those of whom most wait', async () => {
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
