import { durationBuckets } from '@tideport/service-kit/telemetry/duration-buckets'
import type { Metrics } from '@tideport/service-kit/telemetry/metrics'
import type { StepName } from './steps.ts'

/** Counts one job by what came of it, and how long that took. */
export type NoteAttempt = (outcome: string, seconds: number) => void

/**
 * Registers the metrics of one step, once in a process, however many networks it is taken on. Outcomes that an alert
 * watches are shown from the start: a counter that was first seen with what it counts has not grown.
 */
export function attemptMetrics(metrics: Metrics, step: StepName, watched: readonly string[] = []): NoteAttempt {
  const attempts = metrics.counter({
    name: `tideport_${step}_attempts_total`,
    help: `Jobs to ${step} a file by outcome`,
    labelNames: ['outcome'],
  })
  for (const outcome of watched) attempts.labels(outcome).inc(0)
  const duration = metrics.histogram({
    name: `tideport_${step}_duration_seconds`,
    help: `Time of an attempt to ${step} a file`,
    buckets: durationBuckets,
  })
  return (outcome, seconds) => {
    attempts.labels(outcome).inc()
    if (outcome !== 'not_due') duration.observe(seconds)
  }
}
