import { eventTypes } from '@tideport/contracts/public/webhook-payload'
import { setUpOnce } from '@tideport/testing/set-up-once'
import { waitFor } from '@tideport/testing/wait-for'
import { describe, expect, it } from 'vitest'
import { fileEvent, newAccount, setup } from './setup.ts'

const t = setUpOnce(setup)

/** Ids of the webhooks that have a delivery of an event. */
async function receivers({ eventId }: { eventId: string }): Promise<string[]> {
  const rows = await t.database.sql('select webhook_id from delivery where event_id = $1', [eventId])
  return rows.map((row) => row.webhook_id as string).toSorted()
}

/** Until the database's clock, which is the machine's, shows another millisecond. */
async function passMillisecond() {
  const from = Date.now()
  await waitFor(() => Date.now() > from)
}

describe('fanOut', () => {
  it.each(eventTypes)(
    'makes one of %s for who subscribed to it, however often it comes, and none for who did not',
    async (event) => {
      const account = newAccount()
      const { id } = await t.webhook({ account, events: [event] })
      await t.webhook({ account, events: eventTypes.filter((other) => other !== event) })
      await t.webhook({ events: [event] })
      const news = fileEvent(account, event)
      for (let times = 0; times < 3; times++) await t.receive(news)
      expect(await receivers(news)).toEqual([id])
      const [row] = await t.database.sql('select event, body from delivery where event_id = $1', [news.eventId])
      expect(row).toEqual({ event, body: JSON.stringify(news.payload) })
    },
  )

  it('takes many events of many accounts at once, also some that came before, in any order', async () => {
    const webhooks = await Promise.all(Array.from({ length: 5 }, () => t.webhook()))
    const events = Array.from({ length: 100 }, (_, n) => fileEvent(webhooks[n % 5]?.account ?? newAccount()))
    await Promise.all([t.receive(...events), t.receive(...events.toReversed()), t.receive(...events.slice(30, 60))])
    const ids = webhooks.map(({ id }) => id)
    const rows = await t.database.sql('select from delivery where webhook_id = any($1)', [ids])
    expect(rows).toHaveLength(100)
    for (const [n, event] of events.entries()) expect(await receivers(event)).toEqual([webhooks[n % 5]?.id])
  })

  it('takes every subscriber of an account that has as many webhooks as it can', async () => {
    const account = newAccount()
    for (let index = 0; index < 20; index++) await t.webhook({ account })
    const event = fileEvent(account)
    await t.receive(event)
    expect(await receivers(event)).toHaveLength(20)
  })

  it('does not deliver what happened before the webhook was made', async () => {
    const { account } = await t.webhook()
    const event = fileEvent(account, 'file.hot', new Date(Date.now() - 60_000))
    await t.receive(event)
    expect(await receivers(event)).toEqual([])
  })

  it('delivers nothing that happened while the webhook was off, not even once it is on again', async () => {
    const { account, path, id } = await t.webhook()
    await t.call(account, 'PATCH', path, { active: false })
    const [early, late] = [fileEvent(account), fileEvent(account)]
    await t.receive(early)
    await t.call(account, 'PATCH', path, { active: true })
    const before = fileEvent(account, 'file.hot', new Date(Date.parse(late.payload.timestamp) - 1))
    await t.receive(before)
    expect(await receivers(early)).toEqual([])
    expect(await receivers(before)).toEqual([])
    const since = fileEvent(account)
    await t.receive(since)
    expect(await receivers(since)).toEqual([id])
  })

  it('does not deliver events added to a subscription from before they were added', async () => {
    const { account, path, id } = await t.webhook({ events: ['file.hot'] })
    const before = fileEvent(account, 'file.cold', new Date(Date.now() - 1))
    await t.call(account, 'PATCH', path, { events: ['file.hot', 'file.cold'] })
    const after = fileEvent(account, 'file.cold')
    await t.receive(before)
    await t.receive(after)
    expect(await receivers(before)).toEqual([])
    expect(await receivers(after)).toEqual([id])
  })

  it('loses nothing of the types it already had when another is added', async () => {
    const { account, path, id } = await t.webhook({ events: ['file.hot'] })
    const behind = fileEvent(account, 'file.hot')
    await passMillisecond()
    await t.call(account, 'PATCH', path, { events: ['file.cold', 'file.hot'] })
    await t.receive(behind)
    expect(await receivers(behind)).toEqual([id])
  })

  it('goes on with the types that stay, and counts one that was taken out and came back from when it came back', async () => {
    const { account, path, id } = await t.webhook({ events: ['file.hot', 'file.cold'] })
    const [hot, cold, before] = (['file.hot', 'file.cold', 'file.cold'] as const).map((type) =>
      fileEvent(account, type),
    )
    await t.call(account, 'PATCH', path, { events: ['file.hot'] })
    for (const event of [hot, cold]) if (event) await t.receive(event)
    await passMillisecond()
    await t.call(account, 'PATCH', path, { events: ['file.hot', 'file.cold'] })
    const after = fileEvent(account, 'file.cold')
    const all = [hot, cold, before, after].filter((event) => event !== undefined)
    for (const event of all) await t.receive(event)
    expect(await Promise.all(all.map(receivers))).toEqual([[id], [], [], [id]])
  })

  it('counts every type from when the webhook was switched on again', async () => {
    const { account, path, id } = await t.webhook({ events: ['file.hot'] })
    await t.call(account, 'PATCH', path, { events: ['file.hot', 'file.cold'] })
    const before = (['file.hot', 'file.cold'] as const).map((event) => fileEvent(account, event))
    await t.call(account, 'PATCH', path, { active: false })
    await passMillisecond()
    await t.call(account, 'PATCH', path, { active: true })
    const after = (['file.hot', 'file.cold'] as const).map((event) => fileEvent(account, event))
    for (const event of [...before, ...after]) await t.receive(event)
    expect(await Promise.all(before.map((event) => receivers(event)))).toEqual([[], []])
    expect(await Promise.all(after.map((event) => receivers(event)))).toEqual([[id], [id]])
  })
})
