import type { NameOutcome } from '@tideport/service-kit/outgoing/names'
import type { Metrics } from '@tideport/service-kit/telemetry/metrics'

export function createLookUpMetric(metrics: Metrics): (outcome: NameOutcome) => void {
  const lookUps = metrics.counter({
    name: 'tideport_webhook_name_lookups_total',
    help: 'Look-ups of names of webhook targets by outcome: found; none, silent, failed (the name at fault); resolver_down, busy (we are)',
    labelNames: ['outcome'],
  })
  const outcomes: NameOutcome[] = ['found', 'none', 'silent', 'failed', 'resolver_down', 'busy']
  for (const outcome of outcomes) lookUps.labels(outcome).inc(0)
  return (outcome) => lookUps.labels(outcome).inc()
}
