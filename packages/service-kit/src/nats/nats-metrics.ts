import type { Metrics } from '../telemetry/metrics.ts'

interface Link {
  connection(): unknown
  onConnect(listener: () => void): void
}

/** Shows whether the process is connected to the broker, and how often it was again. */
export function observeLink(link: Link, metrics: Metrics): void {
  metrics.show('tideport_nats_connected', 'Whether this process is connected to the broker', () =>
    link.connection() === null ? 0 : 1,
  )
  const reconnects = metrics.counter({
    name: 'tideport_nats_reconnects_total',
    help: 'Connections to the broker after the first one',
  })
  let isFirst = true
  link.onConnect(() => {
    if (!isFirst) reconnects.inc()
    isFirst = false
  })
}
