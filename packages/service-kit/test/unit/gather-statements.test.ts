import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { comingForStatements, gatherStatements } from '../../src/postgres/gather-statements.ts'

/** Collects statements; each is answered by hand, and all of them at the end of a test. */
function collect({ lingers = true } = {}) {
  const sent: { items: readonly string[]; answer: () => void }[] = []
  const ask = gatherStatements<string, string>(
    (items) => new Promise((resolve) => sent.push({ items, answer: () => resolve(items) })),
    { lingers },
  )
  return {
    ask: (...items: string[]) => Promise.all(items.map((item) => ask('', item))),
    async items() {
      await vi.advanceTimersByTimeAsync(0)
      return sent.map(({ items }) => items.join(''))
    },
    answer: () => sent.at(-1)?.answer(),
    async [Symbol.asyncDispose]() {
      for (let count = 0; count < sent.length; count++) {
        sent[count]?.answer()
        await vi.advanceTimersByTimeAsync(30)
      }
    },
  }
}

describe('a lingering statement', () => {
  beforeEach(() => void vi.useFakeTimers())
  afterEach(() => void vi.useRealTimers())

  it('waits for nobody when one is asked for alone, or beside two others', async () => {
    await using busy = collect()
    await using t = collect()
    void busy.ask('x', 'y')
    void t.ask('a')
    expect(await t.items()).toEqual(['a'])
  })

  it('goes once a third of all who wait for any such statement are in it', async () => {
    await using busy = collect()
    await using t = collect()
    void busy.ask(...'12345678')
    void t.ask('a', 'b')
    expect(await t.items()).toEqual([])
    void t.ask('c', 'd')
    expect(await t.items()).toEqual(['abcd'])
  })

  it('waits for a quarter of those who will come', async () => {
    await using t = collect()
    const { promise, resolve: end } = Promise.withResolvers<void>()
    const work = Array.from({ length: 5 }, () => comingForStatements(() => promise))
    void t.ask('a')
    expect(await t.items()).toEqual([])
    void t.ask('b')
    expect(await t.items()).toEqual(['ab'])
    end()
    await Promise.all(work)
    t.answer()
    void t.ask('c')
    expect(await t.items()).toEqual(['ab', 'c'])
  })

  it.each([
    { waiting: 3, ms: 4 },
    { waiting: 8, ms: 8 },
    { waiting: 90, ms: 30 },
  ])('goes after $ms ms with those that came while $waiting wait for others', async ({ waiting, ms }) => {
    await using busy = collect()
    await using t = collect()
    void busy.ask(...Array.from({ length: waiting }, String))
    void t.ask('a')
    await vi.advanceTimersByTimeAsync(ms - 1)
    expect(await t.items()).toEqual([])
    await vi.advanceTimersByTimeAsync(1)
    expect(await t.items()).toEqual(['a'])
  })

  it('answers each with its own, and what is asked for while it is under way goes in the next', async () => {
    await using t = collect()
    const first = t.ask('a')
    expect(await t.items()).toEqual(['a'])
    const next = t.ask('b', 'c')
    expect(await t.items()).toEqual(['a'])
    t.answer()
    expect(await t.items()).toEqual(['a', 'bc'])
    t.answer()
    expect(await Promise.all([first, next])).toEqual([['a'], ['b', 'c']])
  })

  it('is not waited for by those that do not linger, nor are they counted', async () => {
    await using busy = collect({ lingers: false })
    await using t = collect()
    void busy.ask(...'12345678')
    void t.ask('a')
    expect([await busy.items(), await t.items()]).toEqual([['1'], ['a']])
    void t.ask(...'bcdefghi')
    await using other = collect({ lingers: false })
    void other.ask('z')
    expect(await other.items()).toEqual(['z'])
  })
})
