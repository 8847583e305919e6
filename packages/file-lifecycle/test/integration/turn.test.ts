import { setUpOnce } from '@tideport/testing/set-up-once'
import { sql } from 'kysely'
import { describe, expect, it } from 'vitest'
import { takeTurn } from '../../src/state/serialize.ts'
import { must, setup } from '../bundle.ts'

const t = setUpOnce(setup)

describe('a lease on a task', () => {
  it('is granted to one of ten concurrent requests per name, and to another one after its release', async () => {
    const asked = await Promise.all(Array.from({ length: 10 }, () => takeTurn(t.db, 'store-a', 10)))
    const [holder, ...others] = asked.filter((turn) => turn !== null)
    expect(others).toEqual([])
    expect(await takeTurn(t.db, 'evict', 10)).not.toBeNull()
    expect(await holder?.renew()).toBe(true)
    expect(await takeTurn(t.db, 'store-a', 10)).toBeNull()
    await holder?.end()
    expect(await takeTurn(t.db, 'store-a', 10)).not.toBeNull()
  })

  it('expires for the next process, and the previous one notices and removes nothing', async () => {
    const late = await takeTurn(t.db, 'store-a', 10)
    await t.database.sql('update turn set held_until = now()')
    const next = await takeTurn(t.db, 'store-a', 10)
    expect(await late?.renew()).toBe(false)
    await late?.end()
    expect(await next?.renew()).toBe(true)
    expect(await takeTurn(t.db, 'store-a', 10)).toBeNull()
  })

  it('pauses for the time that its last holder set', async () => {
    const turn = await takeTurn(t.db, 'figures', 10)
    await turn?.end(60)
    expect(await takeTurn(t.db, 'figures', 10)).toBeNull()
    await t.database.sql(`update turn set held_until = held_until - interval '60 seconds'`)
    expect(await takeTurn(t.db, 'figures', 10)).not.toBeNull()
  })

  it('rejects a write of a process that lost it', async () => {
    const late = must(await takeTurn(t.db, 'walk', 10))
    const isOurs = async () => (await sql<{ is: boolean }>`select ${late.isOurs} as is`.execute(t.db)).rows[0]?.is
    expect(await isOurs()).toBe(true)
    await t.database.sql('update turn set held_until = now()')
    await takeTurn(t.db, 'walk', 10)
    expect(await isOurs()).toBe(false)
  })
})
