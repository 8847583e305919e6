import { describe, expect, it } from 'vitest'
import { leadDispatch } from '../../src/work/dispatch-leader.ts'
import { setup } from '../bundle.ts'

describe('the right to enqueue due rows', () => {
  it('is had by one of ten who ask at once, of each queue, and by another when it is given back', async () => {
    await using t = await setup()
    const asked = await Promise.all(Array.from({ length: 10 }, () => leadDispatch(t.db, 'store-a')))
    const [holder, ...others] = asked.filter((lease) => lease !== null)
    expect(others).toEqual([])
    expect(await leadDispatch(t.db, 'evict')).not.toBeNull()
    expect(await holder?.renew()).toBe(true)
    expect(await leadDispatch(t.db, 'store-a')).toBeNull()
    await holder?.release()
    expect(await leadDispatch(t.db, 'store-a')).not.toBeNull()
  })

  it('passes on when its time is over, and whoever had it learns so and takes nothing away', async () => {
    await using t = await setup()
    const late = await leadDispatch(t.db, 'store-a')
    await t.database.sql('update dispatch_leader set held_until = now()')
    const next = await leadDispatch(t.db, 'store-a')
    expect(await late?.renew()).toBe(false)
    await late?.release()
    expect(await next?.renew()).toBe(true)
    expect(await leadDispatch(t.db, 'store-a')).toBeNull()
  })
})
