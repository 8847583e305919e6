import { setUpOnce } from '@tideport/testing/set-up-once'
import { waitFor } from '@tideport/testing/wait-for'
import { describe, expect, it } from 'vitest'
import { claimDeliveries } from '../../src/delivery/claim-deliveries.ts'
import { deliver } from '../../src/delivery/deliver.ts'
import { msUntilReady } from '../../src/delivery/ready-webhooks.ts'
import { fileEvent, newAccount, type Setup, setup } from './setup.ts'

const t = setUpOnce(() => setup({ retryScale: 1 }))

/** Claims, sends, and claims again, as the delivery loop does. */
async function sendDue(t: Setup) {
  const { deliveries } = await claimDeliveries(t.db, { limit: 100, claimSeconds: 600 })
  for (const delivery of deliveries) await deliver(t, delivery)
  await claimDeliveries(t.db, { limit: 100, claimSeconds: 600, ended: deliveries })
}

describe('claims', () => {
  it('know the time of the next poll: never, now, when a claim expires, or when a retry is planned', async () => {
    const hook = await t.webhook()
    expect(await msUntilReady(t.db)).toBeNull()
    await t.receive(fileEvent(hook.account))
    expect(await msUntilReady(t.db)).toBe(0)
    const { deliveries } = await claimDeliveries(t.db, { limit: 1, claimSeconds: 600 })
    expect(await msUntilReady(t.db)).toBeGreaterThan(500_000)
    t.receiver.respondWith({ status: 503, headers: { 'retry-after': '3600' } })
    for (const delivery of deliveries) await deliver(t, delivery)
    await claimDeliveries(t.db, { limit: 1, claimSeconds: 600, ended: deliveries })
    expect(await msUntilReady(t.db)).toBeGreaterThan(3_000_000)
  })

  it('skip a webhook that is blocked by its receiver or account, whatever is pending or arrives', async () => {
    const [open, full] = [await t.webhook(), await t.webhook()]
    await t.database.sql(`update webhook set circuit_open_until = now() + interval '1 hour' where id = $1`, [open.id])
    for (const { account } of [open, full]) for (let index = 0; index < 10; index++) await t.receive(fileEvent(account))
    expect((await claimDeliveries(t.db, { limit: 100, claimSeconds: 600 })).deliveries).toHaveLength(4)
    for (const { account } of [open, full]) await t.receive(fileEvent(account))
    expect(await msUntilReady(t.db)).toBeGreaterThan(500_000)
    const healthy = await t.webhook()
    await t.receive(fileEvent(healthy.account))
    await sendDue(t)
    expect(t.receiver.requests).toHaveLength(1)
    expect(await msUntilReady(t.db)).toBeGreaterThan(500_000)
  })

  it('return to webhooks that waited for their account when an attempt of another webhook finishes', async () => {
    const account = newAccount()
    for (let index = 0; index < 3; index++) await t.webhook({ account })
    await t.database.sql('update webhook set slots = 32')
    for (let index = 0; index < 40; index++) await t.receive(fileEvent(account))
    const { deliveries } = await claimDeliveries(t.db, { limit: 200, claimSeconds: 600 })
    const [ended] = deliveries
    if (!ended) throw new Error('nothing was claimed')
    expect(await msUntilReady(t.db)).toBeGreaterThan(500_000)
    await deliver(t, ended)
    const next = await claimDeliveries(t.db, { limit: 200, claimSeconds: 600, ended: [ended] })
    expect([deliveries.length, next.deliveries.length]).toEqual([64, 1])
  })

  it('alternate between webhooks when there are more than they may claim for', async () => {
    const hooks = [await t.webhook(), await t.webhook(), await t.webhook(), await t.webhook()]
    for (const { account } of hooks) for (let index = 0; index < 3; index++) await t.receive(fileEvent(account))
    const claimed: string[] = []
    for (let turn = 0; turn < 4; turn++) {
      const { deliveries } = await claimDeliveries(t.db, { limit: 1, claimSeconds: 600 })
      claimed.push(...deliveries.map(({ webhookId }) => webhookId))
    }
    expect(new Set(claimed).size).toBe(4)
  })

  it('miss no delivery that is inserted during a poll without a notification', async () => {
    await using t = await setup({ replicas: 2 })
    const hooks = [await t.webhook(), await t.webhook()]
    const insert = `insert into delivery (id, webhook_id, event_id, event, body)
      select gen_random_uuid(), id, gen_random_uuid(), 'file.hot', '{}' from unnest($1::uuid[]) id`
    for (let index = 0; index < 60; index++) await t.database.sql(insert, [hooks.map(({ id }) => id)])
    const left = async () => (await t.database.sql('select from delivery where not success')).length
    await waitFor(async () => (await left()) === 0, { what: 'all deliveries' })
    expect(t.receiver.requests).toHaveLength(120)
  })
})
