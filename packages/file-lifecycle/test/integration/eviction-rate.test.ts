import { setUpOnce } from '@tideport/testing/set-up-once'
import { expect, it } from 'vitest'
import { createEvictionRate } from '../../src/evict/evict-file.ts'
import { setup } from '../bundle.ts'

const t = setUpOnce(setup)

/** Moves all takes this many seconds into the past. */
const passTime = (seconds: number) =>
  t.database.sql(
    `update eviction_rate set taken =
       (select jsonb_object_agg((key::bigint - $1::int)::text, value) from jsonb_each(taken))`,
    [seconds],
  )

it('ten processes together take exactly the limit per minute', async () => {
  const rates = Array.from({ length: 10 }, () => createEvictionRate(t.db, 37))
  const takeAll = async () => {
    const waits = await Promise.all(rates.flatMap((rate) => Array.from({ length: 20 }, () => rate.take())))
    return waits.filter((seconds) => seconds === 0).length
  }
  expect(await takeAll()).toBe(37)
  // A take that was granted completely returns no wait.
  expect(rates.filter((rate) => !rate.hasRoom()).length).toBeGreaterThanOrEqual(8)
  await passTime(50)
  expect(await takeAll()).toBe(0)
  await passTime(12)
  expect(await takeAll()).toBe(37)
})

it('returns how long the limit stays exhausted, and grants again when its oldest second expires', async () => {
  const rate = createEvictionRate(t.db, 2)
  expect(await rate.take()).toBe(0)
  await passTime(40)
  expect(await rate.take()).toBe(0)
  expect(rate.hasRoom()).toBe(true)
  const wait = await rate.take()
  expect(wait).toBeGreaterThan(10)
  expect(wait).toBeLessThanOrEqual(21)
  expect(rate.hasRoom()).toBe(false)
  await passTime(22)
  const another = createEvictionRate(t.db, 2)
  expect([await another.take(), (await another.take()) > 0]).toEqual([0, true])
})

it('shares one query between concurrent takes', async () => {
  const rate = createEvictionRate(t.db, 1000)
  await Promise.all(Array.from({ length: 100 }, () => rate.take()))
  // The first take runs alone, and the others share the next query.
  const [row] = await t.database.sql<{ granted: number }>('select granted from eviction_rate')
  expect(row?.granted).toBe(99)
})
