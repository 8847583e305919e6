import { setTimeout as delay } from 'node:timers/promises'
import { anyEvent } from '@tideport/contracts/internal/messages'
import type { NatsLink } from '@tideport/service-kit/nats/nats'
import { createBackoff } from '@tideport/service-kit/process/backoff'
import { every, type PeriodicTask } from '@tideport/service-kit/process/every'
import type { Log } from '@tideport/service-kit/telemetry/logger'
import type { Metrics } from '@tideport/service-kit/telemetry/metrics'
import type { Kysely } from 'kysely'
import type { FilesDb } from '../state/tables.ts'
import { type RefusedEvent, relayEvents } from './relay.ts'
import { resendEvents } from './resend.ts'
import { checkStream } from './stream-mark.ts'
import { createStreamPosition } from './stream-position.ts'

const POLL_MIN_MS = 250
/** A single event is published immediately. Events within this time are published together. */
const BATCH_MS = 100
const CHECK_MS = 60_000
const RESEND_RETRY_MS = 5000

export interface RelayDeps {
  db: Kysely<FilesDb>
  nats: NatsLink
  log: Log
  metrics: Metrics
  signal: AbortSignal
  /** The longest pause, also after a failure of the broker. */
  pollSeconds: number
  eventLifeSeconds: number
}

/** Wake it after a commit that wrote an event. */
export interface Relay extends AsyncDisposable {
  wake(): void
}

/**
 * Runs the relay after each commit, and at growing intervals for events of other processes. On each connect, each
 * minute, and after a failure it creates missing streams and compares EVENTS with what was acknowledged; lost events
 * are sent again.
 */
export function startRelay(deps: RelayDeps): Relay {
  const { db, nats, log, signal } = deps
  const position = createStreamPosition()
  const metrics = createRelayMetrics(deps.metrics)
  const pause = createBackoff({ minMs: Math.min(POLL_MIN_MS, deps.pollSeconds * 1000), maxMs: deps.pollSeconds * 1000 })
  const failing = createBackoff({ minMs: POLL_MIN_MS, maxMs: deps.pollSeconds * 1000 })
  let heldUntil = 0
  let hasResend = false

  async function check(): Promise<void> {
    if (!nats.connection()) return
    await nats
      .provision(signal)
      .catch((error) => log.error({ err: error }, 'could not create the streams or consumers'))
    const { losses, loss, hasResend: isWaiting } = await checkStream(deps)
    position.compared(losses)
    if (loss !== null) {
      metrics.countLoss()
      log.error({ loss, losses }, 'the broker lost events; resending them')
    }
    hasResend = isWaiting
    if (isWaiting) resending.wake()
  }

  function onRefused(events: RefusedEvent[]): void {
    metrics.countRefused(events.length)
    for (const { id, type, fault } of events) {
      log.error({ eventId: id, type, fault }, 'event does not match its schema; not published')
    }
  }

  async function relayOnce(stopping: AbortSignal): Promise<void> {
    // Commits wake the relay also while the broker refuses events.
    if (!nats.connection() || performance.now() < heldUntil) return
    const startedAt = performance.now()
    try {
      if (position.before().losses === null) await check()
      const published = await relayEvents(
        { db, nats, position, onPublished: metrics.countPublished, onRefused, onWentBack: checking.wake },
        stopping,
      )
      failing.reset()
      if (published === 0) return
      pause.reset()
      const restMs = Math.max(0, startedAt + BATCH_MS - performance.now())
      await delay(restMs, undefined, { signal: stopping }).catch(() => {})
    } catch (error) {
      heldUntil = performance.now() + failing.next()
      if ((error as Error).name === 'JetStreamNotEnabled') checking.wake()
      throw error
    }
  }

  async function resendOnce(stopping: AbortSignal): Promise<void> {
    if (!hasResend) return
    hasResend = false
    try {
      await resendEvents({ db, nats, position, log, onResent: metrics.countResent }, stopping)
    } catch (error) {
      hasResend = true
      throw error
    }
  }

  const relaying: PeriodicTask = every(pause.next, 'relay events', relayOnce, { signal, log })
  const checking: PeriodicTask = every(CHECK_MS, 'check the event stream', check, { signal, log })
  const resending: PeriodicTask = every(RESEND_RETRY_MS, 'resend lost events', resendOnce, { signal, log })
  nats.onConnect(checking.wake)

  return {
    wake: relaying.wake,
    async [Symbol.asyncDispose]() {
      for (const task of [checking, resending, relaying]) await task[Symbol.asyncDispose]()
    },
  }
}

interface RelayMetrics {
  countLoss(): void
  countRefused(events: number): void
  countPublished(events: number): void
  countResent(events: number): void
}

function createRelayMetrics(metrics: Metrics): RelayMetrics {
  const losses = metrics.counter({
    name: 'tideport_event_stream_losses_total',
    help: 'Losses of events in NATS that this process detected; after each, the history of the stream is published again',
  })
  const resent = metrics.counter({
    name: 'tideport_events_resent_total',
    help: 'Events that this process published again because NATS had lost them',
  })
  const refused = metrics.counter({
    name: 'tideport_events_refused_total',
    help: 'Events that do not match their schema, so this process did not publish them; they are kept as failed',
  })
  const countPublished = (events: number) => metrics.countSent(anyEvent.subject, events)
  return {
    countLoss: () => losses.inc(),
    countRefused: (events) => refused.inc(events),
    countPublished,
    countResent(events) {
      resent.inc(events)
      countPublished(events)
    },
  }
}
