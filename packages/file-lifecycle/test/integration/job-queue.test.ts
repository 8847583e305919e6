import { jetstreamManager } from '@nats-io/jetstream'
import { streams } from '@tideport/contracts/internal/streams'
import { connectNats } from '@tideport/service-kit/nats/nats'
import { createLogger } from '@tideport/service-kit/telemetry/logger'
import { createMetrics } from '@tideport/service-kit/telemetry/metrics'
import { startNats } from '@tideport/testing/nats'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { enqueueDue } from '../../src/work/dispatch.ts'
import { openJobQueue } from '../../src/work/job-queue.ts'
import { must, never, setup, trace } from '../bundle.ts'

const queue = { step: 'store', network: 'embedded' } as const

async function setupQueue(limits: { jobsMaxBytes?: number } = {}) {
  const stack = new AsyncDisposableStack()
  const server = stack.use(await startNats())
  const t = stack.use(await setup())
  const lines: string[] = []
  const destination = { write: (line: string) => void lines.push((JSON.parse(line) as { msg: string }).msg) }
  const log = createLogger({ service: 'test', level: 'info', destination })
  const metrics = createMetrics('test')
  const nats = stack.use(connectNats({ natsUrl: [server.url], name: 'test', log, ...limits }))
  await nats.provision(never)
  const { streams: manager } = await jetstreamManager(await nats.connected(never))
  return {
    ...t,
    jobs: openJobQueue({ nats, log, metrics }),
    manager,
    told: () => lines.filter((line) => line.includes('JOBS')),
    isFull: async () => /tideport_jobs_full\{.*\} 1/.test((await metrics.render()).text),
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  }
}

describe('the queue of jobs', () => {
  afterEach(() => void vi.restoreAllMocks())

  it('gets a job in the trace of the request that made it due', async () => {
    await using t = await setupQueue()
    const file = await t.hotFile()
    await enqueueDue(t, queue, never)
    const { header } = must(
      await t.manager.getMessage(streams.jobs.name, { last_by_subj: `jobs.store.v1.embedded.${file.id}` }),
    )
    expect(header.get('x-request-id')).toBe(trace.requestId)
    expect(header.get('traceparent')).toBe(trace.traceparent)
  })

  it('reports once and in a metric that it is full, loses nothing, and takes due jobs when it has space', async () => {
    await using t = await setupQueue({ jobsMaxBytes: 300 })
    const files = [await t.hotFile('one'), await t.hotFile('two'), await t.hotFile('three')]
    const [first] = files
    expect(await t.jobs.enqueue(queue, first?.id ?? '')).toBe('queued')
    expect(await t.jobs.enqueue(queue, first?.id ?? '')).toBe('already_queued')
    expect({ told: t.told(), isFull: await t.isFull() }).toEqual({ told: [], isFull: false })
    expect(await enqueueDue(t, queue, never)).toBe(0)
    expect(await enqueueDue(t, queue, never)).toBe(0)
    expect({ told: t.told(), isFull: await t.isFull() }).toEqual({
      told: ['the stream JOBS is full; due files wait for space'],
      isFull: true,
    })
    await t.manager.update(streams.jobs.name, { max_bytes: 1_000_000 })
    expect(await enqueueDue(t, queue, never)).toBe(2)
    expect(t.told()).toHaveLength(2)
    expect(await t.isFull()).toBe(false)
  })

  it('is no longer reported as full by a process that has enqueued nothing for a minute', async () => {
    await using t = await setupQueue({ jobsMaxBytes: 300 })
    const files = [await t.hotFile('one'), await t.hotFile('two')]
    for (const { id } of files) await t.jobs.enqueue(queue, id)
    expect(await t.isFull()).toBe(true)
    const now = performance.now()
    const clock = vi.spyOn(performance, 'now').mockReturnValue(now + 50_000)
    expect(await t.isFull()).toBe(true)
    clock.mockReturnValue(now + 61_000)
    expect(await t.isFull()).toBe(false)
  })
})
