import { describe, expect, it } from 'vitest'
import { createReadSpeeds } from '../../src/copies/read-speeds.ts'
import type { NamedCopy } from '../../src/state/file-copies.ts'

const copyOn = (network: string, state = 'proved') => ({ network, state }) as NamedCopy

function setup(prices: Record<string, number> = {}, archive = '') {
  let at = 0
  const list = Object.entries(prices).map(([name, readPriceGb]) => ({ name, readPriceGb }))
  const speeds = createReadSpeeds([...list, { name: archive, isArchive: true }], () => at)
  return {
    speeds,
    pass: (ms: number) => {
      at += ms
    },
    measure(network: string, tookMs: number, times = 20) {
      for (let index = 0; index < times; index += 1) speeds.note(network, tookMs)
    },
    order: (...copies: NamedCopy[]) => speeds.order(copies).map(({ network }) => network),
  }
}

describe('the first network for reads', () => {
  it('follows the configuration while nothing is known, and for networks of similar speed', () => {
    const t = setup()
    expect(t.order(copyOn('a'), copyOn('b'))).toEqual(['a', 'b'])
    t.measure('a', 24)
    t.measure('b', 2)
    expect(t.order(copyOn('a'), copyOn('b'))).toEqual(['a', 'b'])
  })

  it('is the faster of two, until the samples of the slower one are old', () => {
    const t = setup()
    t.measure('a', 200)
    t.measure('b', 20)
    expect(t.order(copyOn('a'), copyOn('b'))).toEqual(['b', 'a'])
    t.pass(121_000)
    expect(t.order(copyOn('a'), copyOn('b'))).toEqual(['a', 'b'])
  })

  it('is the cheaper of two, unless it is slow', () => {
    const t = setup({ free: 0, paid: 0.09 })
    t.measure('paid', 20)
    t.measure('free', 200)
    expect(t.order(copyOn('paid'), copyOn('free'))).toEqual(['free', 'paid'])
    t.measure('free', 900, 64)
    expect(t.order(copyOn('paid'), copyOn('free'))).toEqual(['paid', 'free'])
  })

  it('is an archive only as the last choice, without a second attempt', () => {
    const t = setup({ paid: 9 }, 'glacier')
    t.measure('paid', 900)
    expect(t.order(copyOn('glacier'), copyOn('paid'))).toEqual(['paid', 'glacier'])
    expect([t.speeds.mayHedge('glacier'), t.speeds.mayHedge('paid')]).toEqual([false, true])
  })

  it('is never an unproved copy before a proved one at any speed', () => {
    const t = setup()
    t.measure('a', 5_000)
    expect(t.order(copyOn('a'), copyOn('b', 'stored'))).toEqual(['a', 'b'])
    expect(t.order(copyOn('a'), copyOn('b'), copyOn('c', 'stored'))).toEqual(['b', 'a', 'c'])
  })
})

describe('a second attempt alongside the first', () => {
  it('begins after the time that 95% of openings took, within bounds', () => {
    const t = setup()
    expect(t.speeds.patienceMs('a')).toBe(1_000)
    t.measure('a', 5, 60)
    expect(t.speeds.patienceMs('a')).toBe(50)
    t.measure('a', 400, 4)
    expect(t.speeds.patienceMs('a')).toBe(400)
    t.measure('a', 60_000, 64)
    expect(t.speeds.patienceMs('a')).toBe(2_000)
  })

  it('is allowed for one read in ten, and at most ten in a row', () => {
    const t = setup()
    const had = () => Array.from({ length: 50 }, () => t.speeds.mayHedge('a')).filter(Boolean).length
    expect(had()).toBe(10)
    t.measure('a', 5, 30)
    expect(had()).toBe(3)
    t.measure('a', 5, 1_000)
    expect(had()).toBe(10)
  })
})
