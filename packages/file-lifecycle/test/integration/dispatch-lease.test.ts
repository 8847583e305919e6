import { describe, expect, it } from 'vitest'
import { takeDispatchLease } from '../../src/work/dispatch-lease.ts'
import { setup } from '../bundle.ts'

describe('the right to offer due files', () => {
  it('is had by one of ten who ask at once, of each queue, and by another when it is given back', async () => {
    await using t = await setup()
    const asked = await Promise.all(Array.from({ length: 10 }, () => takeDispatchLease(t.db, 'store-a')))
    const [holder, ...others] = asked.filter((lease) => lease !== null)
    expect(others).toEqual([])
    expect(await takeDispatchLease(t.db, 'evict')).not.toBeNull()
    expect(await holder?.renew()).toBe(true)
    expect(await takeDispatchLease(t.db, 'store-a')).toBeNull()
    await holder?.release()
    expect(await takeDispatchLease(t.db, 'store-a')).not.toBeNull()
  })

  it('passes on when its time is over, and whoever had it learns so and takes nothing away', async () => {
    await using t = await setup()
    const late = await takeDispatchLease(t.db, 'store-a')
    await t.database.sql('update dispatch_lease set held_until = now()')
    const next = await takeDispatchLease(t.db, 'store-a')
    expect(await late?.renew()).toBe(false)
    await late?.release()
    expect(await next?.renew()).toBe(true)
    expect(await takeDispatchLease(t.db, 'store-a')).toBeNull()
  })
})
