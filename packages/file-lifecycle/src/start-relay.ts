import { type Clock, every } from '@tideport/service-kit/every'
import type { Log } from '@tideport/service-kit/logger'
import type { Metrics } from '@tideport/service-kit/metrics'
import type { NatsLink } from '@tideport/service-kit/nats'
import { provisionStreams } from '@tideport/service-kit/provision-streams'
import { type Kysely, sql } from 'kysely'
import { relayEvents } from './relay.ts'
import { checkStream } from './stream-mark.ts'
import type { FilesDb } from './tables.ts'

const IDLE_MS = 250
const CHECK_MS = 60_000

export interface RelayDeps {
  db: Kysely<FilesDb>
  nats: NatsLink
  log: Log
  metrics: Metrics
  signal: AbortSignal
}

/** The relay of one process: wake it after a commit that wrote an event. */
export interface Relay extends AsyncDisposable {
  wake(): void
}

/**
 * Runs the relay: woken after a commit, else every 250 ms. On each (re)connect, each minute, and after a publish
 * that failed, the streams are made where they are missing and compared with what the broker had acknowledged.
 */
export function startRelay(deps: RelayDeps): Relay {
  const { db, nats, log, signal } = deps
  observeBacklog(deps)
  const relay: Clock = every(IDLE_MS, 'relay events', publishOrCheck, { signal, log })
  const check: Clock = every(CHECK_MS, 'check the event stream', checkOnce, { signal, log })
  nats.onConnect(() => check.wake())

  async function publishOrCheck(stopping: AbortSignal): Promise<void> {
    try {
      await relayEvents(deps, stopping)
    } catch (error) {
      if (!nats.connection()) return
      log.warn({ err: error }, 'events could not be published')
      await checkOnce()
    }
  }

  async function checkOnce(): Promise<void> {
    const connection = nats.connection()
    if (!connection) return
    await provisionStreams(connection)
    const resent = await checkStream({ db, nats })
    if (resent === 0) return
    log.warn({ resent }, 'the broker lost events, publishing them again')
    relay.wake()
  }

  return {
    wake: relay.wake,
    async [Symbol.asyncDispose]() {
      await check[Symbol.asyncDispose]()
      await relay[Symbol.asyncDispose]()
    },
  }
}

function observeBacklog({ db, metrics }: RelayDeps): void {
  metrics.gauge({
    name: 'tideport_unpublished_event_age_seconds',
    help: 'Age of the oldest event that was not published yet',
    async collect() {
      const { rows } = await sql<{ age: number }>`
        select coalesce(extract(epoch from now() - min(at)), 0)::float8 as age
        from file_event where published_at is null and type like 'file.%'`
        .execute(db)
        .catch(() => ({ rows: [] }))
      if (rows[0]) this.set(rows[0].age)
    },
  })
}
