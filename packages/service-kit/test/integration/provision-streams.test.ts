import { DiscardPolicy, jetstream, jetstreamManager } from '@nats-io/jetstream'
import { consumers, networkConsumers, streams } from '@tideport/contracts/internal/streams'
import { startNats } from '@tideport/testing/nats'
import { describe, expect, it } from 'vitest'
import { provisionStreams } from '../../src/nats/provision-streams.ts'

async function setup() {
  const nats = await startNats()
  const connection = await nats.connect()
  return {
    connection,
    manager: await jetstreamManager(connection),
    client: jetstream(connection),
    [Symbol.asyncDispose]: () => nats.dispose(),
  }
}

describe('provisionStreams', () => {
  it('creates all streams and consumers, and changes nothing when it is repeated or runs concurrently', async () => {
    await using t = await setup()
    await Promise.all([provisionStreams(t.connection), provisionStreams(t.connection)])
    await t.client.publish('events.file.hot.v1.a', 'x')
    const before = await t.manager.streams.info('EVENTS')
    await provisionStreams(t.connection)
    expect(await t.manager.streams.info('EVENTS')).toMatchObject({
      created: before.created,
      config: before.config,
      state: { messages: 1 },
    })
    for (const { stream, durable } of Object.values(consumers)) {
      expect((await t.manager.consumers.info(stream, durable)).config.max_deliver).toBe(-1)
    }
  })

  it('names a new or larger stream that the server has no space for, and the setting that makes it smaller', async () => {
    await using t = await setup()
    const noRoom = /no space for the stream EVENTS of 1000000000000000 bytes.* EVENTS_MAX_BYTES/
    await expect(provisionStreams(t.connection, { eventsMaxBytes: 1e15 })).rejects.toThrow(noRoom)
    await provisionStreams(t.connection)
    await expect(provisionStreams(t.connection, { eventsMaxBytes: 1e15 })).rejects.toThrow(noRoom)
  })

  it('creates the consumers of the given networks, and keeps those of other networks', async () => {
    await using t = await setup()
    const { store, prove } = networkConsumers('lake')
    await provisionStreams(t.connection, { consumers: [store, prove] })
    await provisionStreams(t.connection, { consumers: Object.values(networkConsumers('attic')) })
    const config = async (durable: string) => (await t.manager.consumers.info('JOBS', durable)).config
    expect(await config('store-lake')).toMatchObject({ filter_subject: 'jobs.store.v1.lake.*', max_deliver: -1 })
    expect(await config('prove-lake')).toMatchObject({ filter_subject: 'jobs.prove.v1.lake.*', max_deliver: -1 })
    expect(await config('store-attic')).toMatchObject({ filter_subject: 'jobs.store.v1.attic.*' })
  })

  it('keeps one job per subject, and rejects a second one until the first is acked', async () => {
    await using t = await setup()
    await provisionStreams(t.connection)
    await t.client.publish('jobs.rehydrate.v1.a', 'x')
    await expect(t.client.publish('jobs.rehydrate.v1.a', 'x')).rejects.toMatchObject({ code: 10077 })
    const consumer = await t.client.consumers.get('JOBS', consumers.rehydrate.durable)
    expect(await (await consumer.next())?.ackAck()).toBe(true)
    await t.client.publish('jobs.rehydrate.v1.a', 'x')
  })

  it('restores required options, also if EVENTS rejects new messages, and keeps the options that an operator chose', async () => {
    await using t = await setup()
    const { name, subjects } = streams.events
    const chosen = { max_bytes: 20 * 1024 ** 3, max_age: 1_000_000_000_000, description: 'ours', max_msg_size: 5000 }
    const old = { discard: DiscardPolicy.New, duplicate_window: 1_000_000_000 }
    await t.manager.streams.add({ name, subjects: [...subjects], ...chosen, ...old })
    await provisionStreams(t.connection)
    expect((await t.manager.streams.info(name)).config).toMatchObject({
      ...chosen,
      discard: DiscardPolicy.Old,
      duplicate_window: streams.events.duplicateWindowSeconds * 1e9,
    })
  })

  it('grows streams to larger settings, and never shrinks them', async () => {
    await using t = await setup()
    const limits = async (name: string) => {
      const { max_bytes, max_age } = (await t.manager.streams.info(name)).config
      return { max_bytes, max_age }
    }
    const small = { eventsMaxBytes: 10_000, eventsMaxAgeSeconds: 3600, jobsMaxBytes: 20_000, jobsMaxAgeSeconds: 7200 }
    await provisionStreams(t.connection, small)
    expect(await limits('EVENTS')).toEqual({ max_bytes: 10_000, max_age: 3600e9 })
    expect(await limits('JOBS')).toEqual({ max_bytes: 20_000, max_age: 7200e9 })
    await provisionStreams(t.connection)
    expect(await limits('EVENTS')).toEqual({ max_bytes: 10_000, max_age: 3600e9 })
    const large = { eventsMaxBytes: 50_000, eventsMaxAgeSeconds: 7200, jobsMaxBytes: 0, jobsMaxAgeSeconds: 0 }
    await provisionStreams(t.connection, large)
    await provisionStreams(t.connection, small)
    expect(await limits('EVENTS')).toEqual({ max_bytes: 50_000, max_age: 7200e9 })
    expect(await limits('JOBS')).toEqual({ max_bytes: -1, max_age: 0 })
  })

  it('raises the limit of concurrent jobs to a larger setting, never lowers it, and leaves fan-out unchanged', async () => {
    await using t = await setup()
    const inFlight = async ({ stream, durable }: { stream: string; durable: string }) =>
      (await t.manager.consumers.info(stream, durable)).config.max_ack_pending
    await provisionStreams(t.connection, { jobsInFlightMax: 50 })
    expect([await inFlight(consumers.rehydrate), await inFlight(consumers.evict)]).toEqual([50, 50])
    for (const jobsInFlightMax of [2000, 100, undefined]) await provisionStreams(t.connection, { jobsInFlightMax })
    expect([await inFlight(consumers.rehydrate), await inFlight(consumers.fanOut)]).toEqual([2000, 1000])
  })

  it('keeps the limits that an operator chose for a consumer, and restores required options', async () => {
    await using t = await setup()
    await provisionStreams(t.connection)
    const { stream, durable } = consumers.rehydrate
    await t.manager.consumers.update(stream, durable, { max_ack_pending: 5000, ack_wait: 90e9, max_deliver: 3 })
    await provisionStreams(t.connection)
    expect((await t.manager.consumers.info(stream, durable)).config).toMatchObject({
      max_ack_pending: 5000,
      ack_wait: 90e9,
      max_deliver: -1,
    })
  })

  it('throws, and leaves the stream unchanged, when an option cannot be changed', async () => {
    await using t = await setup()
    await t.manager.streams.add({ name: 'JOBS', subjects: ['jobs.>'] })
    await expect(provisionStreams(t.connection)).rejects.toThrow(/retention/)
    expect((await t.manager.streams.info('JOBS')).config.retention).toBe('limits')
  })
})
