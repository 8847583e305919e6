import type { Metrics } from '@tideport/service-kit/metrics'
import { type Kysely, sql } from 'kysely'
import type { FilesDb } from './tables.ts'

export interface RelayMetrics {
  countLoss(): void
  countResent(events: number): void
}

/** What an operator watches of the events' way out. */
export function createRelayMetrics(metrics: Metrics, db: Kysely<FilesDb>): RelayMetrics {
  const losses = metrics.counter({
    name: 'tideport_event_stream_losses_total',
    help: 'Losses of events by the broker that this process noted: each sends the history of the stream again',
  })
  const resent = metrics.counter({
    name: 'tideport_events_resent_total',
    help: 'Events that this process published again because the broker had lost them',
  })
  metrics.gauge({
    name: 'tideport_unpublished_event_age_seconds',
    help: 'Age of the oldest event that was not published yet',
    async collect() {
      const age = await oldestUnpublishedSeconds(db).catch(() => null)
      if (age !== null) this.set(age)
    },
  })
  metrics.gauge({
    name: 'tideport_event_resend_left_seconds',
    help: 'How much of the history of events still has to be sent again; 0 when nothing has',
    async collect() {
      const left = await historyLeftSeconds(db).catch(() => null)
      if (left !== null) this.set(left)
    },
  })
  return { countLoss: () => losses.inc(), countResent: (events) => resent.inc(events) }
}

async function oldestUnpublishedSeconds(db: Kysely<FilesDb>): Promise<number> {
  const { rows } = await sql<{ age: number }>`
    select coalesce(extract(epoch from now() - min(at)), 0)::float8 as age
    from file_event where published_at is null and type like 'file.%'`.execute(db)
  return rows[0]?.age ?? 0
}

async function historyLeftSeconds(db: Kysely<FilesDb>): Promise<number> {
  const { rows } = await sql<{ seconds: number }>`
    select coalesce(max(greatest(0, extract(epoch from cursor_at - since))), 0)::float8 as seconds
    from stream_resend`.execute(db)
  return rows[0]?.seconds ?? 0
}
