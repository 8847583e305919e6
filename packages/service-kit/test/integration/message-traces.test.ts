import { jetstream } from '@nats-io/jetstream'
import { headers } from '@nats-io/transport-node'
import { defineMessage } from '@tideport/contracts/internal/message'
import { consumers } from '@tideport/contracts/internal/streams'
import { startNats } from '@tideport/testing/nats'
import { startOtlpCollector } from '@tideport/testing/otlp-collector'
import { waitFor } from '@tideport/testing/wait-for'
import { expect, it } from 'vitest'
import { z } from 'zod'
import { consume } from '../../src/nats/consume.ts'
import { type BatchEntry, consumeBatches } from '../../src/nats/consume-batches.ts'
import { connectNats } from '../../src/nats/nats.ts'
import { provisionStreams } from '../../src/nats/provision-streams.ts'
import { createLogger } from '../../src/telemetry/logger.ts'
import { createMetrics } from '../../src/telemetry/metrics.ts'
import { startTracing } from '../../src/telemetry/tracing.ts'

const never = new AbortController().signal
const message = defineMessage('any.v1', z.object({ n: z.number() }))
const senders = ['4bf92f3577b34da6a3ce929d0e0e4736', '0af7651916cd43dd8448eb211c80319c'] as const
const SPAN = '00f067aa0ba902b7'

async function setup() {
  const stack = new AsyncDisposableStack()
  const collector = stack.use(await startOtlpCollector())
  process.env['OTEL_EXPORTER_OTLP_ENDPOINT'] = collector.endpoint
  stack.defer(() => void delete process.env['OTEL_EXPORTER_OTLP_ENDPOINT'])
  const log = createLogger({ service: 'test', level: 'silent' })
  const tracing = startTracing({ service: 'test', sampler: 'parentbased_always_on', ratio: 1, log })
  stack.defer(() => tracing.end(0))
  const nats = stack.use(await startNats())
  const link = stack.use(connectNats({ natsUrl: [nats.url], name: 'test', log }))
  const connection = await link.connected(never)
  await provisionStreams(connection)
  return {
    common: { link, message, log, metrics: createMetrics('test'), signal: never },
    async publish(subject: string, ...traceIds: string[]) {
      for (const traceId of traceIds) {
        const traced = headers()
        traced.set('traceparent', `00-${traceId}-${SPAN}-01`)
        await jetstream(connection).publish(`${subject}.${crypto.randomUUID()}`, '{"n":1}', { headers: traced })
      }
    },
    /** The spans of this name that were recorded so far. */
    async spans(name: string) {
      await tracing.end(10_000)
      return collector.spans.filter((span) => span.name === name)
    },
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  }
}

it('handles a message as a child of its sender, and a redelivered one in a new trace with a link to the sender', async () => {
  await using t = await setup()
  let calls = 0
  const handle = async () => {
    calls += 1
    if (calls === 1) throw new Error('not yet')
  }
  const consumption = consume({ ...t.common, consumer: consumers.rehydrate, concurrency: 1, onError: 'retry', handle })
  const [sender] = senders
  await t.publish('jobs.rehydrate.v1', sender)
  await waitFor(() => calls === 2)
  await consumption[Symbol.asyncDispose]()
  const [first, again] = await t.spans('process rehydrate')
  const links = [{ traceId: sender, spanId: SPAN }]
  expect(first).toMatchObject({ kind: 5, traceId: sender, parentSpanId: SPAN, links, isError: true })
  expect(again).toMatchObject({ parentSpanId: '', links, isError: false })
  expect(again?.traceId).not.toBe(sender)
  const settled = await t.spans('settle rehydrate')
  expect(settled.map(({ parentSpanId }) => parentSpanId)).toEqual([first?.spanId, again?.spanId])
})

it('links a batch to all senders, and gives each message the trace of its sender', async () => {
  await using t = await setup()
  await t.publish('events.file.hot.v1', ...senders)
  const seen: BatchEntry<{ n: number }>[] = []
  const handle = async (entries: BatchEntry<{ n: number }>[]) => void seen.push(...entries)
  const consumption = consumeBatches({ ...t.common, consumer: consumers.fanOut, batchMax: 10, concurrency: 1, handle })
  await waitFor(() => seen.length === 2)
  await consumption[Symbol.asyncDispose]()
  expect(seen.map(({ trace }) => trace.traceparent)).toEqual(senders.map((id) => `00-${id}-${SPAN}-01`))
  const spans = await t.spans('process webhooks-fan-out')
  expect(spans.flatMap(({ links }) => links)).toEqual(senders.map((traceId) => ({ traceId, spanId: SPAN })))
  if (spans.length === 1) expect(spans[0]?.parentSpanId).toBe('')
})
