import { setImmediate } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createBatching, pauseMs } from '../../src/batching/batching.ts'

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }))
afterEach(() => void vi.useRealTimers())

/** Collects batches. A test resolves single batches with `answer`, and disposal resolves all. */
function collect({ pauses = true, callers = 0 } = {}) {
  const batching = createBatching()
  const sent: { items: readonly string[]; answer: () => void }[] = []
  const ask = batching.batch<string, string>(
    (items) => new Promise((resolve) => sent.push({ items, answer: () => resolve(items) })),
    { pauses },
  )
  const { promise, resolve: endCallers } = Promise.withResolvers<void>()
  for (let caller = 0; caller < callers; caller += 1) void batching.asCaller(() => promise)
  return {
    ask: (...items: string[]) => Promise.all(items.map((item) => ask('', item))),
    endCallers,
    async items() {
      await vi.advanceTimersByTimeAsync(0)
      for (let turn = 0; turn < 4; turn += 1) await setImmediate()
      return this.sent()
    },
    sent: () => sent.map(({ items }) => items.join('')),
    answer: () => sent.at(-1)?.answer(),
    async [Symbol.asyncDispose]() {
      for (let count = 0; count < sent.length; count++) {
        sent[count]?.answer()
        await vi.advanceTimersByTimeAsync(30)
      }
    },
  }
}

describe('a batch', () => {
  it.each([{ callers: 0 }, { callers: 1 }, { callers: 4 }, { callers: 7 }, { callers: 64, pauses: false }])(
    'does not wait with %o',
    async (options) => {
      await using t = collect(options)
      void t.ask('a')
      expect(await t.items()).toEqual(['a'])
    },
  )

  it('of few callers includes items that arrive within two turns of the event loop', async () => {
    await using t = collect({ callers: 2 })
    void t.ask('a')
    void setImmediate().then(() => t.ask('b'))
    expect(await t.items()).toEqual(['ab'])
  })

  it('of a single caller is sent at once', async () => {
    await using t = collect({ callers: 1 })
    void t.ask('a')
    await Promise.resolve()
    expect(t.sent()).toEqual(['a'])
  })

  it('is sent once it includes a quarter of the callers', async () => {
    await using t = collect({ callers: 16 })
    void t.ask('a', 'b', 'c')
    expect(await t.items()).toEqual([])
    void t.ask('d', 'e')
    expect(await t.items()).toEqual(['abcde'])
  })

  it.each([
    { callers: 8, ms: 4 },
    { callers: 16, ms: 12 },
    { callers: 64, ms: 30 },
  ])('is sent after $ms ms at the latest while $callers callers are active', async ({ callers, ms }) => {
    await using t = collect({ callers })
    void t.ask('a')
    await vi.advanceTimersByTimeAsync(ms - 1)
    expect(await t.items()).toEqual([])
    await vi.advanceTimersByTimeAsync(1)
    expect(await t.items()).toEqual(['a'])
  })

  it('does not wait for callers that have finished', async () => {
    await using t = collect({ callers: 64 })
    t.endCallers()
    await vi.advanceTimersByTimeAsync(0)
    void t.ask('a')
    expect(await t.items()).toEqual(['a'])
  })

  it('returns to each caller its own outcome, and leaves items that arrive during the call to the next batch', async () => {
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
})

it('a full batch does not wait, for any number of callers', () => {
  expect(pauseMs(64, 1_000)).toBe(0)
})

it('a rejected item does not fail the other items of its batch', async () => {
  const ask = createBatching().batch<string, string>(
    async (items) => {
      if (items.includes('bad')) throw new Error('refused')
      return items
    },
    { pauses: false },
  )
  const first = ask('', 'first')
  const others = ['a', 'bad', 'b'].map((item) => ask('', item))
  expect(await first).toBe('first')
  expect((await Promise.allSettled(others)).map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
})

describe('two kinds of calls with the same turn', () => {
  const down = Object.assign(new Error('Postgres is down'), { code: 'ECONNREFUSED' })

  /** Two kinds of calls. A test resolves or rejects each call. */
  function twoKinds() {
    const batching = createBatching()
    const sent: { items: string; settle: PromiseWithResolvers<readonly string[]> }[] = []
    const kind = () =>
      batching.batch<string, string>(
        (items) => {
          const settle = Promise.withResolvers<readonly string[]>()
          sent.push({ items: items.join(''), settle })
          return settle.promise
        },
        { pauses: false, turn: 'same' },
      )
    return {
      ask: kind(),
      askOther: kind(),
      sent: async () => {
        await vi.advanceTimersByTimeAsync(0)
        return sent.map(({ items }) => items)
      },
      answer: () => sent.at(-1)?.settle.resolve([...(sent.at(-1)?.items ?? '')]),
      fail: (error: Error) => sent.at(-1)?.settle.reject(error),
    }
  }

  it('never run concurrently, and items that arrive meanwhile join the next call of the same kind', async () => {
    const t = twoKinds()
    const asked = [t.ask('', 'a'), t.askOther('', 'b'), t.askOther('', 'c')]
    expect(await t.sent()).toEqual(['a'])
    asked.push(t.askOther('', 'd'))
    t.answer()
    expect(await t.sent()).toEqual(['a', 'bcd'])
    asked.push(t.ask('', 'e'))
    expect(await t.sent()).toEqual(['a', 'bcd'])
    t.answer()
    expect(await t.sent()).toEqual(['a', 'bcd', 'e'])
    t.answer()
    expect(await Promise.all(asked)).toEqual(['a', 'b', 'c', 'd', 'e'])
  })

  it('continue after a rejected call', async () => {
    const t = twoKinds()
    const refused = t.ask('', 'a').catch((error: Error) => error.message)
    const other = t.askOther('', 'b')
    await t.sent()
    t.fail(new Error('refused'))
    expect(await t.sent()).toEqual(['a', 'b'])
    t.answer()
    expect(await Promise.all([refused, other])).toEqual(['refused', 'b'])
  })

  it('fail with the call that they wait for if Postgres is unavailable, and later calls are sent again', async () => {
    const t = twoKinds()
    const asked = Promise.allSettled([t.ask('', 'a'), t.askOther('', 'b'), t.ask('', 'c')])
    await t.sent()
    t.fail(down)
    expect((await asked).map((one) => one.status === 'rejected' && one.reason)).toEqual([down, down, down])
    expect(await t.sent()).toEqual(['a'])
    const later = t.askOther('', 'd')
    expect(await t.sent()).toEqual(['a', 'd'])
    t.answer()
    expect(await later).toBe('d')
  })
})
