import { streams } from '@tideport/contracts/internal/streams'
import { connectNats } from '@tideport/service-kit/nats/nats'
import { createMetrics } from '@tideport/service-kit/telemetry/metrics'
import { setUpOnce } from '@tideport/testing/set-up-once'
import { waitFor } from '@tideport/testing/wait-for'
import { describe, expect, it } from 'vitest'
import { startRelay } from '../../src/outbox/start-relay.ts'
import { must, setup, trace } from '../bundle.ts'
import { holdAt } from '../hold-at.ts'
import { setupNews } from '../news-bundle.ts'

const t = setUpOnce(setupNews)

const losses = /tideport_event_stream_losses_total\{.*\} (\d+)/
const refused = /tideport_events_refused_total\{.*\} (\d+)/
const resent = /tideport_events_resent_total\{.*\} (\d+)/

async function sumOf(metric: RegExp, relays: { metrics: () => Promise<string> }[]): Promise<number> {
  const texts = await Promise.all(relays.map(({ metrics }) => metrics()))
  return texts.reduce((sum, text) => sum + Number(metric.exec(text)?.[1] ?? 0), 0)
}

describe('the relay', () => {
  it('publishes the event of a transition with its headers as soon as it is woken', async () => {
    await using files = await setup()
    await using nats = connectNats({ natsUrl: [t.server.url], name: 'test', log: t.log })
    const { signal } = t
    const options = { metrics: createMetrics('test'), pollSeconds: 3600, eventLifeSeconds: 3600, signal }
    await using relay = startRelay({ db: files.db, nats, log: t.log, ...options })
    const file = await files.hotFile()
    relay.wake()
    await waitFor(async () => (await t.stored()) === 1, { what: 'the event to be published' })
    const message = await (await t.manager()).streams.getMessage(streams.events.name, { seq: 1 })
    expect(must(message).subject).toBe(`events.file.hot.v1.${file.id}`)
    expect(must(message).json()).toMatchObject({
      accountId: files.accountId,
      payload: { event: 'file.hot', data: { fileId: file.id, fileName: 'cat.png', status: 'hot', sizeBytes: 5 } },
    })
    expect(must(message).header.get('x-request-id')).toBe(trace.requestId)
  })

  it('keeps events while the broker is down and publishes them afterwards', async () => {
    t.startRelay()
    await t.server.kill()
    await t.writeEvents(5)
    expect(await t.unpublished()).toBe(5)
    await t.server.start()
    expect(await t.allStored()).toBe(5)
  })

  it('publishes each event once when six relays with different positions race', async () => {
    const relays = Array.from({ length: 6 }, () => t.startRelay())
    for (let batch = 0; batch < 10; batch += 1) {
      await t.writeEvents(500)
      for (const relay of relays) relay.wake()
    }
    expect(await t.allStored()).toBe(5000)
    expect(await sumOf(losses, relays)).toBe(0)
  })

  it('publishes no event of a long history again when more relays start', async () => {
    await t.writeEvents(3000)
    t.startRelay().wake()
    await t.allStored()
    const more = Array.from({ length: 4 }, () => t.startRelay())
    await t.writeEvents(100)
    for (const relay of more) relay.wake()
    expect(await t.allStored()).toBe(3100)
    expect(await sumOf(losses, more)).toBe(0)
  })
})

describe('events of a type from a later release', () => {
  it('are left to the processes of that release, and do not block other events, also after a loss', async () => {
    const alterOldest = async (count: number) => {
      await t.database.sql(
        `update event set type = 'file.later' where id in (select id from event order by at, id limit ${count})`,
      )
    }
    await t.writeEvents(3)
    await alterOldest(1)
    const relay = t.startRelay()
    relay.wake()
    await waitFor(async () => (await t.stored()) === 2, { what: 'the known ones' })
    await alterOldest(2)
    await t.server.wipe()
    relay.wake()
    const isThrough = () => t.lines.some(({ msg }) => msg === 'resent all lost events')
    await waitFor(isThrough, { what: 'the end of the history' })
    expect(await t.stored()).toBe(1)
  })
})

describe('an event that does not match its schema', () => {
  it('is marked as failed, logged, and counted, is never published, also after a loss, and does not block others', async () => {
    await t.writeEvents(6)
    const [unnamed, mistaken] = await t.database.sql<{ id: string }>('select id from event order by at, id limit 2')
    await t.database.sql(`update event set payload = payload #- '{data,fileName}' where id = $1`, [unnamed?.id])
    await t.database.sql(`update event set type = 'file.cold' where id = $1`, [mistaken?.id])
    const relay = t.startRelay()
    relay.wake()
    await waitFor(async () => (await t.stored()) === 4, { what: 'the others' })
    const failed = await t.database.sql(
      'select id, failure, published_at, claimed_until from event where failed_at is not null order by at, id',
    )
    expect(failed).toEqual([
      { id: unnamed?.id, failure: 'payload.data.fileName: invalid_type', published_at: null, claimed_until: null },
      {
        id: mistaken?.id,
        failure: 'payload.event: differs from the event type',
        published_at: null,
        claimed_until: null,
      },
    ])
    expect(await sumOf(refused, [relay])).toBe(2)
    for (const { id } of failed) {
      const line = { eventId: id, msg: 'event does not match its schema; not published' }
      expect(t.lines).toContainEqual(expect.objectContaining(line))
    }
    await t.server.wipe()
    relay.wake()
    const isThrough = () => t.lines.some(({ msg }) => msg === 'resent all lost events')
    await waitFor(isThrough, { what: 'the end of the history' })
    expect(await t.stored()).toBe(4)
  })
})

describe('a broker that loses events', () => {
  it.each([
    ['everything', (t: Awaited<ReturnType<typeof setupNews>>) => t.server.wipe()],
    [
      'the stream',
      async (t: Awaited<ReturnType<typeof setupNews>>) => {
        await (await t.manager()).streams.delete(streams.events.name)
      },
    ],
  ])('and has lost %s gets every event again, in batches, new events first, and without new rows', async (_, lose) => {
    await t.writeEvents(2500)
    const relays = [t.startRelay(), t.startRelay()]
    await t.allStored()
    const rows = async () => await t.database.sql('select id, ctid::text, xmin::text from event order by id')
    const before = await rows()
    {
      // After one batch of the history, no matter when the loss is detected.
      await using held = await holdAt('resend.between')
      await lose(t)
      await t.writeEvents(1)
      for (const relay of relays) relay.wake()
      await held.release()
    }
    const [fresh] = await t.database.sql<{ id: string }>('select id from event order by at desc limit 1')
    // The new event is also part of the history if it is older than the check that noted the loss.
    expect([2501, 2502]).toContain(await t.allStored())
    expect((await t.storedIds()).indexOf(must(fresh).id)).toBeLessThan(1500)
    expect((await rows()).filter(({ id }) => id !== must(fresh).id)).toEqual(before)
    expect(await sumOf(losses, relays)).toBe(1)
    expect([2500, 2501]).toContain(await sumOf(resent, relays))
    expect(t.lines).toContainEqual(expect.objectContaining({ msg: 'the broker lost events; resending them' }))
    expect(t.lines).toContainEqual(expect.objectContaining({ msg: 'resent all lost events' }))
  })
})
