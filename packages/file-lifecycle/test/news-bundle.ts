import { jetstream, jetstreamManager } from '@nats-io/jetstream'
import { streams } from '@tideport/contracts/internal/streams'
import { connectNats } from '@tideport/service-kit/nats/nats'
import { createLogger } from '@tideport/service-kit/telemetry/logger'
import { createMetrics } from '@tideport/service-kit/telemetry/metrics'
import { startNats } from '@tideport/testing/nats'
import { createTestDatabase } from '@tideport/testing/postgres'
import { waitFor } from '@tideport/testing/wait-for'
import { type Relay, startRelay } from '../src/outbox/start-relay.ts'
import { createStreamPosition } from '../src/outbox/stream-position.ts'
import type { FilesDb } from '../src/state/tables.ts'

const { name: stream } = streams.events
const samplePayload = {
  event: 'file.hot',
  timestamp: '2026-01-02T03:04:05.006Z',
  data: {
    fileId: '01939a1b-7c00-7abc-8def-0123456789ab',
    fileName: 'cat.png',
    vaultId: '01939a1b-7c00-7abc-8def-0123456789ac',
    status: 'hot',
    sizeBytes: 5,
  },
}

/** A broker and a database with events, for relays of separate processes. */
export async function setupNews() {
  const stack = new AsyncDisposableStack()
  const server = stack.use(await startNats())
  const database = stack.use(
    await createTestDatabase({ schema: 'files', migrations: new URL('../migrations/', import.meta.url) }),
  )
  const lines: Record<string, unknown>[] = []
  const destination = { write: (line: string) => void lines.push(JSON.parse(line) as Record<string, unknown>) }
  const log = createLogger({ service: 'test', level: 'info', destination })
  const stop = new AbortController()
  const { signal } = stop
  let opened = stack.use(new AsyncDisposableStack())

  /** The parts of one process. */
  function openProcess() {
    const db = opened.use(database.open<FilesDb>({ log, poolSize: 4 }))
    const nats = opened.use(connectNats({ natsUrl: [server.url], name: 'test', log }))
    return { db, nats, log, position: createStreamPosition(), eventLifeSeconds: streams.events.maxAgeSeconds }
  }
  const own = openProcess()
  opened = stack.use(new AsyncDisposableStack())
  const manager = async () => jetstreamManager(await own.nats.connected(signal))

  const t = {
    ...own,
    server,
    database,
    lines,
    openProcess,
    manager,
    signal,
    /** The relay of another process. */
    startRelay(options: { pollSeconds?: number } = {}): Relay & { metrics: () => Promise<string> } {
      const metrics = createMetrics('test')
      const relay = startRelay({ ...openProcess(), metrics, signal, pollSeconds: 0.25, ...options })
      return Object.assign(opened.use(relay), { metrics: async () => (await metrics.render()).text })
    },
    /** This many committed events, one second apart, the newest with the current time. */
    async writeEvents(count: number): Promise<void> {
      await database.sql(
        `insert into event (id, subject_kind, subject_id, account_id, type, is_public, at, payload, request_id, traceparent)
         select gen_random_uuid(), 'file', gen_random_uuid(), gen_random_uuid(), 'file.hot', true,
           now() - make_interval(secs => $1::int - n), '${JSON.stringify(samplePayload)}', 'r', 't'
         from generate_series(1, $1::int) n`,
        [count],
      )
    },
    async unpublished(): Promise<number> {
      const [row] = await database.sql('select count(*) from event where published_at is null')
      return Number(row?.count)
    },
    /** Messages that the stream holds; 0 when there is no stream. */
    async stored(): Promise<number> {
      const info = await (await manager()).streams.info(stream).catch(() => null)
      return info?.state.messages ?? 0
    },
    /** Waits until the stream has each event of the database. Returns the number of messages. */
    async allStored(): Promise<number> {
      const [row] = await database.sql('select count(*) from event')
      await waitFor(async () => (await t.unpublished()) === 0 && (await t.stored()) >= Number(row?.count), {
        what: 'every event in the stream',
      })
      await waitFor(async () => (await database.sql('select from stream_resend')).length === 0, { what: 'the resend' })
      const ids = await t.storedIds()
      const missing = await database.sql('select id from event where id <> all($1::uuid[])', [ids])
      if (missing.length > 0) throw new Error(`${missing.length} events are not in the stream`)
      return ids.length
    },
    /** The IDs of the events in the stream, in order. */
    async storedIds(): Promise<string[]> {
      const consumer = await jetstream(await own.nats.connected(signal)).consumers.get(stream)
      const ids: string[] = []
      const count = await t.stored()
      if (count === 0) return ids
      for await (const message of await consumer.consume()) {
        ids.push(message.json<{ eventId: string }>().eventId)
        if (ids.length === count) break
      }
      return ids
    },
    /** Stops all other processes, and empties the database and the broker. */
    async startOver() {
      await opened.disposeAsync()
      opened = stack.use(new AsyncDisposableStack())
      await database.sql(
        'delete from event; delete from stream_mark; delete from stream_ack; delete from stream_resend',
      )
      own.position.compared(-1)
      lines.length = 0
      await (await manager()).streams.delete(stream).catch(() => {})
      await own.nats.provision(signal)
    },
    [Symbol.asyncDispose]: async () => {
      stop.abort()
      await stack.disposeAsync()
    },
  }
  return t
}
