import { jetstreamManager } from '@nats-io/jetstream'
import { syncJob } from '@tideport/contracts/messages'
import { streams } from '@tideport/contracts/streams'
import { createMetrics } from '@tideport/service-kit/metrics'
import { connectNats } from '@tideport/service-kit/nats'
import { startNats } from '@tideport/testing/nats'
import { waitFor } from '@tideport/testing/wait-for'
import { describe, expect, it } from 'vitest'
import { offerDue, offerJob } from '../../src/dispatch.ts'
import { startRelay } from '../../src/start-relay.ts'
import { log, must, setup, trace } from '../bundle.ts'

async function setupBroker() {
  const stack = new AsyncDisposableStack()
  const server = stack.use(await startNats())
  const t = stack.use(await setup())
  const nats = stack.use(connectNats({ natsUrl: [server.url], name: 'test', log }))
  const stop = new AbortController()
  stack.use(startRelay({ db: t.db, nats, log, metrics: createMetrics('test'), signal: stop.signal }))
  const manager = async () => jetstreamManager(await nats.connected(stop.signal))
  const published = async () => {
    const info = await (await manager()).streams.info(streams.events.name).catch(() => null)
    return info?.state.messages ?? 0
  }
  const unpublished = async () =>
    Number((await t.database.sql('select count(*) from file_event where published_at is null'))[0]?.['count'])
  return {
    ...t,
    server,
    nats,
    manager,
    published,
    unpublished,
    stop,
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  }
}

describe('the relay', () => {
  it('publishes each committed event once, with all a consumer needs', async () => {
    await using t = await setupBroker()
    const file = await t.hotFile()
    await waitFor(async () => (await t.unpublished()) === 0, { what: 'the event to be published' })
    const message = await (await t.manager()).streams.getMessage(streams.events.name, { seq: 1 })
    expect(must(message).subject).toBe(`events.file.hot.v1.${file.id}`)
    expect(must(message).json()).toMatchObject({
      accountId: t.accountId,
      payload: { event: 'file.hot', data: { fileId: file.id, fileName: 'cat.png', status: 'hot', sizeBytes: 5 } },
    })
    expect(must(message).header.get('x-request-id')).toBe(trace.requestId)
  })

  it('sends everything again after the stream was deleted, under the same event ids', async () => {
    await using t = await setupBroker()
    for (const body of ['one', 'two', 'three']) await t.hotFile(body)
    await waitFor(async () => (await t.published()) === 3, { what: 'three events' })
    await (await t.manager()).streams.delete(streams.events.name)
    await t.hotFile('four')
    await waitFor(async () => (await t.published()) === 4, { what: 'four events in the new stream' })
    await waitFor(async () => (await t.unpublished()) === 0, { what: 'every event to be marked' })
  })

  it('keeps events while the broker is down and publishes them afterwards', async () => {
    await using t = await setupBroker()
    await waitFor(async () => t.nats.connection() !== null, { what: 'the connection' })
    await t.server.kill()
    await t.hotFile('while down')
    expect(await t.unpublished()).toBe(1)
    await t.server.start()
    await waitFor(async () => (await t.unpublished()) === 0, { what: 'the event to be published' })
  })
})

describe('dispatch', () => {
  it('queues one job per file, however often it is offered, and offers again what the broker lost', async () => {
    await using t = await setupBroker()
    await waitFor(async () => (await t.manager()).streams.info(streams.jobs.name).then(Boolean, () => false), {
      what: 'streams',
    })
    const file = await t.hotFile()
    expect(await offerJob(t.nats, syncJob, file.id, trace)).toBe(true)
    expect(await offerJob(t.nats, syncJob, file.id, trace)).toBe(false)
    expect(await offerDue(t, 'sync', t.stop.signal)).toBe(0)
    await (await t.manager()).streams.purge(streams.jobs.name)
    expect(await offerDue(t, 'sync', t.stop.signal)).toBe(1)
  })
})
