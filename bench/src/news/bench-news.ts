import { setTimeout as delay } from 'node:timers/promises'
import { jetstreamManager } from '@nats-io/jetstream'
import { streams } from '@tideport/contracts/internal/streams'
import { sql } from 'kysely'
import { v7 as newId } from 'uuid'
import { type BenchNews, startNews } from './start-news.ts'

const RELAYS_AT_REST = 50
const REST_MS = 20_000
const BURST = 20_000
const STEADY_PER_SECOND = 1000
const STEADY_SECONDS = 15
const WRITERS = 24
const LOOK_MS = 20

const accountId = newId()

/**
 * From the commit of an event to the row of its delivery, on one machine with everything on it: statements at rest,
 * events a second at most and at a steady flow, and how fast a lost stream is sent again.
 */
export async function benchNews(): Promise<void> {
  {
    await using news = await startNews()
    for (let n = 0; n < RELAYS_AT_REST; n += 1) news.startRelay(5)
    // Until all pause as long as they may.
    await delay(REST_MS)
    tell(`${RELAYS_AT_REST} relays at rest`, `${(await transactionsPerSecond(news)).toFixed(1)} statements/s`)
  }
  await using news = await startNews()
  const webhook = { id: newId(), account_id: accountId, url: 'https://example.com/', secret_encrypted: '' }
  await sql`insert into webhook (id, account_id, url, events, secret_encrypted, active_since)
    values (${webhook.id}, ${accountId}, ${webhook.url}, ${['file.hot']}, '', '-infinity')`.execute(news.webhooks)
  await writeEvents(news, BURST)
  const relay = news.startRelay(0.25)
  const published = await secondsUntil(() =>
    isTrue(news, sql`not exists (select from event where published_at is null)`),
  )
  tell('events published', `${Math.round(BURST / published)} /s`)
  news.startFanOut()
  tell('… and fanned out', `${Math.round(BURST / (await secondsUntil(() => hasDeliveries(news, BURST))))} /s`)
  const lags = await steadyFlow(news, relay)
  tell(`at ${STEADY_PER_SECOND} commits/s, commit to delivery row`, lags)
  await loseStream(news)
  const total = BURST + STEADY_PER_SECOND * STEADY_SECONDS
  const resent = await secondsUntil(async () => (await messages(news)) >= total)
  tell('sent again after a loss, fan-out at work', `${Math.round(total / resent)} /s`)
}

function tell(what: string, figure: string): void {
  console.log(`  ${what.padEnd(56)} ${figure}`)
}

async function writeEvents({ database }: BenchNews, count: number): Promise<void> {
  await sql`
    insert into event (id, subject_kind, subject_id, account_id, type, is_public, payload, request_id, traceparent)
    select gen_random_uuid(), 'file', gen_random_uuid(), ${accountId}::uuid, 'file.hot', true,
      jsonb_build_object('event', 'file.hot', 'timestamp', to_char(now() at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
        'data', jsonb_build_object('fileId', gen_random_uuid(), 'fileName', 'photo.jpg', 'vaultId', gen_random_uuid(),
          'status', 'hot', 'sizeBytes', 1000)), 'r', 't'
    from generate_series(1, ${count}::int)`.execute(database.db)
}

/** One commit an event, as confirms make them. Answers how late their deliveries were. */
async function steadyFlow(news: BenchNews, relay: { wake(): void }): Promise<string> {
  const [before] = await rows<{ count: number; at: string }>(
    news,
    sql`select count(*)::int, now()::text as at from event`,
  )
  const startedAt = performance.now()
  let written = 0
  const total = STEADY_PER_SECOND * STEADY_SECONDS
  const writer = async () => {
    while (written < total) {
      const dueAt = startedAt + (written++ * 1000) / STEADY_PER_SECOND
      await delay(Math.max(0, dueAt - performance.now()))
      await writeEvents(news, 1)
      relay.wake()
    }
  }
  await Promise.all(Array.from({ length: WRITERS }, writer))
  const writtenIn = (performance.now() - startedAt) / 1000
  await secondsUntil(() => hasDeliveries(news, (before?.count ?? 0) + total))
  const { rows: deliveries } = await sql<{ p50: number; p99: number; last: number }>`
    select percentile_cont(0.5) within group (order by lag) as p50, percentile_cont(0.99) within group (order by lag) as p99,
      max(lag) as last
    from (select extract(epoch from created_at - (body::json ->> 'timestamp')::timestamptz)::float8 as lag
      from delivery where (body::json ->> 'timestamp')::timestamptz > ${before?.at}::timestamptz) as delivered`.execute(
    news.webhooks,
  )
  const [lag] = deliveries
  const ms = (seconds = 0) => `${Math.round(seconds * 1000)} ms`
  return `${Math.round(total / writtenIn)} /s written, p50 ${ms(lag?.p50)}, p99 ${ms(lag?.p99)}, last ${ms(lag?.last)}`
}

async function loseStream({ nats }: BenchNews): Promise<void> {
  const manager = await jetstreamManager(await nats.connected(AbortSignal.timeout(5000)))
  await manager.streams.delete(streams.events.name)
}

async function messages({ nats }: BenchNews): Promise<number> {
  const manager = await jetstreamManager(await nats.connected(AbortSignal.timeout(5000)))
  return await manager.streams.info(streams.events.name).then(
    ({ state }) => state.messages,
    () => 0,
  )
}

async function transactionsPerSecond(news: BenchNews): Promise<number> {
  const count = async () => {
    const [row] = await rows<{ count: number }>(
      news,
      sql`
      select (xact_commit + xact_rollback)::int as count from pg_stat_database where datname = current_database()`,
    )
    return row?.count ?? 0
  }
  const before = await count()
  await delay(REST_MS)
  return ((await count()) - before - 1) / (REST_MS / 1000)
}

async function hasDeliveries({ webhooks }: BenchNews, count: number): Promise<boolean> {
  const result = await sql<{ count: number }>`select count(*)::int as count from delivery`.execute(webhooks)
  return (result.rows[0]?.count ?? 0) >= count
}

async function isTrue(news: BenchNews, condition: ReturnType<typeof sql>): Promise<boolean> {
  const [row] = await rows<{ yes: boolean }>(news, sql`select ${condition} as yes`)
  return row?.yes === true
}

async function rows<Row>({ database }: BenchNews, statement: ReturnType<typeof sql>): Promise<Row[]> {
  return (await statement.execute(database.db)).rows as Row[]
}

async function secondsUntil(condition: () => Promise<boolean>): Promise<number> {
  const startedAt = performance.now()
  while (!(await condition())) await delay(LOOK_MS)
  return (performance.now() - startedAt) / 1000
}
