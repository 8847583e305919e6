import { eventTypes } from '@tideport/contracts/public/webhook-payload'
import { setUpOnce } from '@tideport/testing/set-up-once'
import { waitFor } from '@tideport/testing/wait-for'
import { describe, expect, it } from 'vitest'
import { fileEvent, newAccount, setup } from './setup.ts'

const t = setUpOnce(setup)

/** IDs of the webhooks that have a delivery of an event. */
async function receivers({ eventId }: { eventId: string }): Promise<string[]> {
  const rows = await t.database.sql('select webhook_id from delivery where event_id = $1', [eventId])
  return rows.map((row) => row.webhook_id as string).toSorted()
}

/** Waits until the database's clock, which is the machine's, shows the next millisecond. */
async function passMillisecond() {
  const from = Date.now()
  await waitFor(() => Date.now() > from)
}

describe('fanOut', () => {
  it.each(eventTypes)(
    'creates one delivery of %s per subscriber, even if the event is repeated, and none for other webhooks',
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

  it('accepts many events of many accounts together, including repeated ones, in any order', async () => {
    const webhooks = await Promise.all(Array.from({ length: 5 }, () => t.webhook()))
    const events = Array.from({ length: 100 }, (_, n) => fileEvent(webhooks[n % 5]?.account ?? newAccount()))
    await Promise.all([t.receive(...events), t.receive(...events.toReversed()), t.receive(...events.slice(30, 60))])
    const ids = webhooks.map(({ id }) => id)
    const rows = await t.database.sql('select from delivery where webhook_id = any($1)', [ids])
    expect(rows).toHaveLength(100)
    for (const [n, event] of events.entries()) expect(await receivers(event)).toEqual([webhooks[n % 5]?.id])
  })

  it('creates a delivery for every subscriber of an account with the maximum number of webhooks', async () => {
    const account = newAccount()
    for (let index = 0; index < 20; index++) await t.webhook({ account })
    const event = fileEvent(account)
    await t.receive(event)
    expect(await receivers(event)).toHaveLength(20)
  })

  it('does not deliver events from before the webhook was created', async () => {
    const { account } = await t.webhook()
    const event = fileEvent(account, 'file.hot', new Date(Date.now() - 60_000))
    await t.receive(event)
    expect(await receivers(event)).toEqual([])
  })

  it('never delivers events from the time when the webhook was disabled', async () => {
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

  it('loses no events of existing types when a type is added', async () => {
    const { account, path, id } = await t.webhook({ events: ['file.hot'] })
    const behind = fileEvent(account, 'file.hot')
    await passMillisecond()
    await t.call(account, 'PATCH', path, { events: ['file.cold', 'file.hot'] })
    await t.receive(behind)
    expect(await receivers(behind)).toEqual([id])
  })

  it('continues with remaining types, and delivers a removed type only after it is added again', async () => {
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

  it('delivers every type only after the webhook is enabled again', async () => {
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
