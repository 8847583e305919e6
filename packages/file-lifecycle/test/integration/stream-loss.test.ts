import { jetstream } from '@nats-io/jetstream'
import { consumers, streams } from '@tideport/contracts/internal/streams'
import { setUpOnce } from '@tideport/testing/set-up-once'
import { waitFor } from '@tideport/testing/wait-for'
import { describe, expect, it } from 'vitest'
import { relayEvents } from '../../src/outbox/relay.ts'
import { resendEvents } from '../../src/outbox/resend.ts'
import { checkStream } from '../../src/outbox/stream-mark.ts'
import { holdAt } from '../hold-at.ts'
import { setupNews } from '../news-bundle.ts'

const t = setUpOnce(setupNews)

type News = Awaited<ReturnType<typeof setupNews>>
type Process = ReturnType<News['openProcess']>

const noop = () => undefined

async function connected(process: Process, t: News): Promise<Process> {
  await process.nats.connected(t.signal)
  process.position.compared((await checkStream(process)).losses)
  return process
}

const relay = (process: Process, t: News, onWentBack = noop) =>
  relayEvents({ ...process, onPublished: noop, onRefused: noop, onWentBack }, t.signal)
const resend = (process: Process, t: News, signal = t.signal, onResent: (count: number) => void = noop) =>
  resendEvents({ ...process, onResent }, signal)

async function publishForeign(t: News, count: number): Promise<void> {
  const client = jetstream(await t.nats.connected(t.signal))
  for (let n = 0; n < count; n += 1) await client.publish('events.file.hot.v1.x', '{"eventId":null}')
}

describe('a loss', () => {
  it('is noted once by concurrent checks', async () => {
    const processes = await Promise.all(Array.from({ length: 5 }, () => connected(t.openProcess(), t)))
    await t.writeEvents(3)
    await relay(processes[0] as Process, t)
    await t.server.wipe()
    await waitFor(() => t.nats.provision(t.signal).then(() => true))
    const checks = await Promise.all(processes.map(async (process) => {
      await process.nats.connected(t.signal)
      return await checkStream(process)
    })) // biome-ignore format: one call
    expect(checks.filter(({ loss }) => loss !== null)).toHaveLength(1)
    expect((await checkStream(t)).loss).toBeNull()
  })

  it('is noted when the stream lost acknowledged events, even if the process that published them crashed', async () => {
    const lost = await connected(t.openProcess(), t)
    const goBack = await t.server.snapshot()
    await t.writeEvents(10)
    await lost.nats.connected(t.signal)
    await relay(lost, t)
    await goBack()
    const kept = await connectedAgain(t.openProcess(), t)
    expect((await checkStream(kept)).loss).toBe('lost its last messages')
    expect((await checkStream(kept)).loss).toBeNull()
  })

  it('is noted when the stream lost messages and grew beyond the mark, and at once by a relay that sees it', async () => {
    const process = await connected(t.openProcess(), t)
    const goBack = await t.server.snapshot()
    await t.writeEvents(10)
    await process.nats.connected(t.signal)
    await relay(process, t)
    await goBack()
    await process.nats.connected(t.signal)
    const wentBack: true[] = []
    await t.writeEvents(1)
    await relay(process, t, () => void wentBack.push(true))
    expect(wentBack).toHaveLength(1)
    await publishForeign(t, 20)
    expect((await checkStream(process)).loss).toBe('lost its last messages and received new ones')
  })

  it('is not noted for duplicates, dropped oldest messages, or a manually purged stream without a reader', async () => {
    const process = await connected(t.openProcess(), t)
    await t.writeEvents(10)
    await relay(process, t)
    await t.database.sql('update event set published_at = null')
    await relay(process, t, () => expect.fail('it did not go back'))
    expect(await t.stored()).toBe(10)
    expect((await checkStream(process)).loss).toBeNull()
    const { streams: manager } = await t.manager()
    await manager.purge(streams.events.name, { keep: 2 })
    expect((await checkStream(process)).loss).toBeNull()
    await manager.purge(streams.events.name)
    expect((await checkStream(process)).loss).toBeNull()
  })

  it('is noted once when the stream dropped unread events, as soon as a consumer reads again', async () => {
    const process = await connected(t.openProcess(), t)
    await t.writeEvents(10)
    await relay(process, t)
    await (await t.manager()).streams.purge(streams.events.name, { keep: 2 })
    expect((await checkStream(process)).loss).toBeNull()
    const { durable } = consumers.fanOut
    const fanOut = await jetstream(await t.nats.connected(t.signal)).consumers.get(streams.events.name, durable)
    const taking = await fanOut.consume({ callback: (message) => message.ack() })
    await waitFor(async () => (await fanOut.info()).num_waiting > 0)
    const check = await checkStream(process)
    expect(check.loss).toBe('dropped unread events')
    expect((await checkStream(process)).loss).toBeNull()
    process.position.compared(check.losses)
    await resend(process, t)
    const isAllTaken = async () => (await fanOut.info()).ack_floor.stream_seq === 20
    await waitFor(isAllTaken, { what: 'two that were kept and ten sent again to be taken' })
    expect((await checkStream(process)).loss).toBeNull()
    await (await t.manager()).streams.purge(streams.events.name)
    await t.writeEvents(1)
    await relay(process, t)
    expect((await checkStream(process)).loss).toBeNull()
    await taking.close()
  })

  it('is not noted by a process with older stream data than the mark, or for acknowledgments from before the loss', async () => {
    const process = await connected(t.openProcess(), t)
    await t.writeEvents(5)
    await using hold = await holdAt('relay.between')
    const relaying = relay(process, t)
    await waitFor(async () => (await t.stored()) === 5)
    await (await t.manager()).streams.delete(streams.events.name)
    await t.nats.provision(t.signal)
    expect((await checkStream(process)).loss).toBe('re-created')
    process.position.compared(1)
    await hold.release()
    await relaying
    expect((await checkStream(process)).loss).toBeNull()
  })
})

describe('a resend', () => {
  it('includes events that were claimed and published but not marked when the stream was lost', async () => {
    const process = await connected(t.openProcess(), t)
    await t.writeEvents(5)
    await using hold = await holdAt('relay.between')
    const relaying = relay(process, t)
    await waitFor(async () => (await t.stored()) === 5)
    await (await t.manager()).streams.delete(streams.events.name)
    await t.nats.provision(t.signal)
    const other = await connected(t.openProcess(), t)
    await resend(other, t)
    await hold.release()
    await relaying
    expect(await t.allStored()).toBe(5)
  })

  it('continues after its process stopped, and starts again after a second loss', async () => {
    const process = await connected(t.openProcess(), t)
    await t.writeEvents(1200)
    await relay(process, t)
    const lose = async () => {
      await (await t.manager()).streams.delete(streams.events.name)
      await t.nats.provision(t.signal)
      process.position.compared((await checkStream(process)).losses)
    }
    await lose()
    const stop = new AbortController()
    await resend(process, t, stop.signal, () => stop.abort())
    expect(await t.stored()).toBe(500)
    await resend(process, t)
    expect(await t.allStored()).toBe(1200)
    await lose()
    const again = new AbortController()
    await resend(process, t, again.signal, () => again.abort())
    await lose()
    await resend(process, t)
    expect(await t.allStored()).toBe(1200)
  })
})

async function connectedAgain(process: Process, t: News): Promise<Process> {
  await process.nats.connected(t.signal)
  return process
}
