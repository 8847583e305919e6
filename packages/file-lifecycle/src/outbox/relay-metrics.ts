import { anyEvent } from '@tideport/contracts/internal/messages'
import type { Metrics } from '@tideport/service-kit/telemetry/metrics'

export interface RelayMetrics {
  countLoss(): void
  countRefused(events: number): void
  countPublished(events: number): void
  countResent(events: number): void
}

export function createRelayMetrics(metrics: Metrics): RelayMetrics {
  const losses = metrics.counter({
    name: 'tideport_event_stream_losses_total',
    help: 'Losses of events by the broker that this process noted: each sends the history of the stream again',
  })
  const resent = metrics.counter({
    name: 'tideport_events_resent_total',
    help: 'Events that this process published again because the broker had lost them',
  })
  const refused = metrics.counter({
    name: 'tideport_events_refused_total',
    help: 'Events that this process did not publish because they break their contract; kept as failed',
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
