import { expect, it } from 'vitest'
import { createFairQueue } from '../../src/links/fair-queue.ts'

/** Work that finishes on command, and the order in which it began. */
function desk(limits: { waitingMax: number; waitingPerKeyMax: number }) {
  const turns = createFairQueue({ ...limits, refusal: 'Busy' })
  const begun: string[] = []
  const ends: (() => void)[] = []
  const enter = (name: string, ...keys: string[]) => {
    const done = turns.run(keys, async () => {
      begun.push(name)
      await new Promise<void>((end) => ends.push(end))
    })
    return done.then(
      () => 'done',
      (error: { code: string; retryAfterSeconds?: number }) => error.code,
    )
  }
  const finishAll = async (count: number) => {
    for (let next = 0; next < count; next += 1) {
      await expect.poll(() => ends.length).toBeGreaterThan(0)
      ends.shift()?.()
    }
  }
  return { begun, enter, finishAll }
}

it('runs the work of a key with little waiting before the work of a key with much waiting', async () => {
  const { begun, enter, finishAll } = desk({ waitingMax: 10, waitingPerKeyMax: 10 })
  const all = [1, 2, 3, 4].map((index) => enter(`a${index}`, 'a'))
  all.push(enter('b1', 'b'), enter('c1', 'c'), enter('b2', 'b'))
  await finishAll(7)
  expect(await Promise.all(all)).toEqual(Array(7).fill('done'))
  expect(begun).toEqual(['a1', 'b1', 'c1', 'a2', 'b2', 'a3', 'a4'])
})

it('counts work for each of its keys', async () => {
  const { begun, enter, finishAll } = desk({ waitingMax: 10, waitingPerKeyMax: 10 })
  const all = [1, 2, 3].map((index) => enter(`n${index}`, `network ${index}`, 'link 1'))
  all.push(enter('other', 'network 4', 'link 2'))
  await finishAll(4)
  await Promise.all(all)
  expect(begun).toEqual(['n1', 'other', 'n2', 'n3'])
})

it('makes room for another key at the expense of the key with the most waiting', async () => {
  const { begun, enter, finishAll } = desk({ waitingMax: 3, waitingPerKeyMax: 10 })
  const own = [1, 2, 3, 4].map((index) => enter(`a${index}`, 'a'))
  expect(await enter('a5', 'a')).toBe('unavailable')
  const other = enter('b1', 'b')
  expect(await own[3]).toBe('unavailable')
  await finishAll(4)
  expect([await other, ...(await Promise.all(own))]).toEqual(['done', 'done', 'done', 'done', 'unavailable'])
  expect(begun).toEqual(['a1', 'b1', 'a2', 'a3'])
})
