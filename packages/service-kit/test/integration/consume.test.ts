import { type JetStreamManager, jetstreamManager } from '@nats-io/jetstream'
import { headers } from '@nats-io/transport-node'
import { defineMessage } from '@tideport/contracts/internal/message'
import { consumers } from '@tideport/contracts/internal/streams'
import { startNats } from '@tideport/testing/nats'
import { waitFor } from '@tideport/testing/wait-for'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { currentTrace } from '../../src/context/request-context.ts'
import { type ConsumeOptions, consume } from '../../src/nats/consume.ts'
import { connectNats } from '../../src/nats/nats.ts'
import { provisionStreams } from '../../src/nats/provision-streams.ts'
import type { MessageContext } from '../../src/nats/settle-message.ts'
import { createLogger } from '../../src/telemetry/logger.ts'
import { createMetrics } from '../../src/telemetry/metrics.ts'

const job = defineMessage('jobs.rehydrate.v1', z.object({ n: z.number() }))
const never = new AbortController().signal
type Handle = (n: number, context: MessageContext) => Promise<void>

async function setup() {
  const stack = new AsyncDisposableStack()
  const nats = stack.use(await startNats())
  const lines: Record<string, unknown>[] = []
  const destination = { write: (line: string) => void lines.push(JSON.parse(line) as Record<string, unknown>) }
  const log = createLogger({ service: 'test', level: 'info', destination })
  const metrics = createMetrics('test')
  const link = stack.use(connectNats({ natsUrl: [nats.url], name: 'test', log }))
  await provisionStreams(await link.connected(never))
  const manager = async (): Promise<JetStreamManager> => jetstreamManager(await link.connected(never))
  return {
    nats,
    lines,
    metrics,
    manager,
    publish: async (n: unknown, more: Parameters<ReturnType<typeof link.jetstream>['publish']>[2] = {}) => {
      await link.connected(never)
      await link.jetstream().publish(`jobs.rehydrate.v1.${crypto.randomUUID()}`, JSON.stringify({ n }), more)
    },
    /** The number of messages that are neither acked nor dropped. */
    stored: async () => (await (await manager()).streams.info('JOBS')).state.messages,
    consume: (handle: Handle, more: Partial<ConsumeOptions<typeof job.schema>> = {}) =>
      stack.use(
        consume({
          link,
          consumer: consumers.rehydrate,
          message: job,
          concurrency: 4,
          onError: 'ack',
          log,
          metrics,
          signal: never,
          handle: ({ n }, context) => handle(n, context),
          ...more,
        }),
      ),
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  }
}

/** A handler that collects the received numbers. */
function collect() {
  const seen: number[] = []
  const handle: Handle = async (n) => void seen.push(n)
  return { seen, handle, has: (count: number) => waitFor(() => seen.length >= count) }
}

describe('consume', () => {
  it('handles each message with the request ID of its sender, and acks it after the handler returned', async () => {
    await using t = await setup()
    const gate = Promise.withResolvers<void>()
    const seen: string[] = []
    t.consume(async () => {
      seen.push(currentTrace().requestId)
      await gate.promise
    })
    const traced = headers()
    traced.set('x-request-id', 'req-1')
    await t.publish(1, { headers: traced })
    await waitFor(() => seen.length === 1)
    expect([seen, await t.stored()]).toEqual([['req-1'], 1])
    gate.resolve()
    await waitFor(async () => (await t.stored()) === 0)
    expect(t.lines.at(-1)).toMatchObject({ msg: 'message settled', outcome: 'done', requestId: 'req-1' })
  })

  it('pulls only as many messages as it has slots, so another process gets the rest', async () => {
    await using t = await setup()
    const gate = Promise.withResolvers<void>()
    let running = 0
    let most = 0
    const holding: Handle = async () => {
      most = Math.max(most, ++running)
      await gate.promise
      running -= 1
    }
    t.consume(holding, { concurrency: 2 })
    for (let n = 0; n < 6; n += 1) await t.publish(n)
    await waitFor(() => running === 2)
    const other = collect()
    t.consume(other.handle)
    await other.has(4)
    expect(most).toBe(2)
    gate.resolve()
    await waitFor(async () => (await t.stored()) === 0)
  })

  it('drops and logs an unreadable message, and continues', async () => {
    await using t = await setup()
    const { seen, handle, has } = collect()
    t.consume(handle)
    await t.publish('no number')
    await t.publish(2)
    await has(1)
    await waitFor(async () => (await t.stored()) === 0)
    expect(seen).toEqual([2])
    expect(t.lines).toContainEqual(expect.objectContaining({ msg: 'message cannot be read', outcome: 'unreadable' }))
    expect((await t.metrics.render()).text).toMatch(
      /messaging_process_duration_seconds_count\{.*outcome="unreadable".*\} 1/,
    )
  })

  it('with onError ack: drops a message whose handler threw, because its row makes it due again', async () => {
    await using t = await setup()
    let tries = 0
    t.consume(async () => {
      tries += 1
      throw new Error('boom')
    })
    await t.publish(1)
    await waitFor(async () => tries === 1 && (await t.stored()) === 0)
    expect(t.lines).toContainEqual(expect.objectContaining({ msg: 'message failed', outcome: 'failed' }))
  })

  it('with onError retry: receives a message again until the handler succeeds', async () => {
    await using t = await setup()
    let tries = 0
    const flaky: Handle = async () => {
      tries += 1
      if (tries < 3) throw new Error('database down')
    }
    t.consume(flaky, { onError: 'retry' })
    await t.publish(1)
    await waitFor(async () => tries === 3 && (await t.stored()) === 0)
    const { text } = await t.metrics.render()
    expect(text).toMatch(/tideport_messages_settled_total\{consumer="rehydrate",result="nak"[^}]*\} [1-9]/)
    expect(text).toMatch(/tideport_messages_settled_total\{consumer="rehydrate",result="ack"[^}]*\} 1\n/)
    expect(text).toMatch(/tideport_message_redeliveries_total\{consumer="rehydrate"[^}]*\} [1-9]/)
  })

  it('does not receive a message twice while it handles the message', async () => {
    await using t = await setup()
    const consumer = {
      ...consumers.rehydrate,
      durable: 'impatient',
      stream: 'SLOW',
      filterSubject: 'slow.v1.*',
      ackWaitSeconds: 10,
    }
    const manager = await t.manager()
    await manager.streams.add({ name: 'SLOW', subjects: ['slow.>'] })
    await manager.consumers.add('SLOW', { durable_name: 'impatient', ack_policy: 'explicit', ack_wait: 10e9 })
    const gate = Promise.withResolvers<void>()
    let deliveries = 0
    t.consume(async () => {
      deliveries += 1
      await gate.promise
    }, { consumer }) // biome-ignore format: the handler is the point
    const connection = await t.nats.connect()
    connection.publish('slow.v1.a', '{"n":1}')
    await waitFor(() => deliveries === 1)
    // Longer than ack_wait by the broker's clock.
    const info = async () => await manager.consumers.info('SLOW', 'impatient')
    const start = Date.parse((await info()).ts ?? '')
    await waitFor(async () => Date.parse((await info()).ts ?? '') - start > 11_000)
    expect({ deliveries, redelivered: (await info()).num_redelivered }).toEqual({ deliveries: 1, redelivered: 0 })
    gate.resolve()
  })

  it('leaves messages with the broker while shouldPull returns false', async () => {
    await using t = await setup()
    let isOpen = false
    let asked = 0
    const { seen, handle, has } = collect()
    const shouldPull = () => {
      asked += 1
      return isOpen
    }
    t.consume(handle, { shouldPull })
    await t.publish(1)
    await waitFor(() => asked > 1)
    const { num_pending, num_ack_pending } = await (await t.manager()).consumers.info(
      'JOBS',
      consumers.rehydrate.durable,
    )
    expect({ num_pending, num_ack_pending, seen }).toEqual({ num_pending: 1, num_ack_pending: 0, seen: [] })
    isOpen = true
    await has(1)
  })
})

describe('a consumer that stops', () => {
  it('finishes the messages that it has started', async () => {
    await using t = await setup()
    const started = Promise.withResolvers<void>()
    const gate = Promise.withResolvers<void>()
    const consumption = t.consume(async () => {
      started.resolve()
      await gate.promise
    })
    await t.publish(1)
    await started.promise
    const stopped = consumption[Symbol.asyncDispose]()
    gate.resolve()
    await stopped
    await waitFor(async () => (await t.stored()) === 0)
  })

  it('hands back at once a message whose handler stopped with its signal', async () => {
    await using t = await setup()
    const started = Promise.withResolvers<void>()
    const consumption = t.consume(async (_, { signal }) => {
      started.resolve()
      await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }))
      throw signal.reason
    })
    await t.publish(1)
    await started.promise
    await consumption[Symbol.asyncDispose]()
    const next = collect()
    t.consume(next.handle)
    await next.has(1) // before ack_wait, which is longer than this wait
    expect(t.lines).toContainEqual(expect.objectContaining({ outcome: 'handed_back' }))
  })
})

describe('a consumer whose broker fails', () => {
  it('continues after the broker was killed and restarted', async () => {
    await using t = await setup()
    const { has, handle } = collect()
    t.consume(handle)
    await t.publish(1)
    await has(1)
    await t.nats.kill()
    await t.nats.start()
    await t.publish(2)
    await has(2)
  })

  it('continues after the broker lost everything, because streams and consumers are re-created', async () => {
    await using t = await setup()
    const { has, handle } = collect()
    t.consume(handle)
    await t.publish(1)
    await has(1)
    await t.nats.wipe()
    await waitFor(() => t.publish(2).then(() => true))
    await has(2)
  })

  it.each([
    ['stream', (manager: JetStreamManager) => manager.streams.delete('JOBS')],
    ['consumer', (manager: JetStreamManager) => manager.consumers.delete('JOBS', consumers.rehydrate.durable)],
  ])('continues after the broker lost only the %s', async (_, lose) => {
    await using t = await setup()
    const { has, handle } = collect()
    t.consume(handle)
    await t.publish(1)
    await has(1)
    await lose(await t.manager())
    await waitFor(() => t.publish(2).then(() => true))
    await has(2)
  })
})
