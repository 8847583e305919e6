import { jetstream, jetstreamManager } from '@nats-io/jetstream'
import { consumers, streams } from '@tideport/contracts/streams'
import { startNats } from '@tideport/testing/nats'
import { describe, expect, it } from 'vitest'
import { provisionStreams } from '../../src/provision-streams.ts'

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
  it('makes all streams and consumers, and changes nothing when repeated or run by several at once', async () => {
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

  it('keeps one job per subject and refuses a second, until the first is acked', async () => {
    await using t = await setup()
    await provisionStreams(t.connection)
    await t.client.publish('jobs.sync.v1.a', 'x')
    await expect(t.client.publish('jobs.sync.v1.a', 'x')).rejects.toMatchObject({ code: 10077 })
    const consumer = await t.client.consumers.get('JOBS', consumers.sync.durable)
    expect(await (await consumer.next())?.ackAck()).toBe(true)
    await t.client.publish('jobs.sync.v1.a', 'x')
  })

  it('brings a stream that differs back to the contract and keeps what an operator added', async () => {
    await using t = await setup()
    const { name, subjects } = streams.events
    await t.manager.streams.add({ name, subjects: [...subjects], max_age: 1_000_000_000_000, description: 'ours' })
    await provisionStreams(t.connection)
    expect((await t.manager.streams.info(name)).config).toMatchObject({
      max_age: streams.events.maxAgeSeconds * 1e9,
      description: 'ours',
    })
  })

  it('throws, and leaves the stream as it is, when an option cannot be changed', async () => {
    await using t = await setup()
    await t.manager.streams.add({ name: 'JOBS', subjects: ['jobs.>'] })
    await expect(provisionStreams(t.connection)).rejects.toThrow(/retention/)
    expect((await t.manager.streams.info('JOBS')).config.retention).toBe('limits')
  })
})
