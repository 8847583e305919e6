import {
  Counter,
  type CounterConfiguration,
  collectDefaultMetrics,
  Gauge,
  type GaugeConfiguration,
  Histogram,
  type HistogramConfiguration,
  Registry,
} from 'prom-client'

const DURATION_BUCKETS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300]

export interface HttpRequestLabels {
  method: string
  /** The route's pattern, never the path. */
  route: string
  status: number
}

export interface MessageLabels {
  /** The consumer's filter, never the concrete subject. */
  subject: string
  consumer: string
  outcome: 'done' | 'failed' | 'unreadable' | 'handed_back'
}

export interface Metrics {
  observeRequest(labels: HttpRequestLabels, seconds: number): void
  observeMessage(labels: MessageLabels, seconds: number): void
  setDependency(dependency: string, isUp: boolean): void
  /** Owners make their own; labels are closed sets, ids belong in logs. */
  counter<L extends string>(definition: CounterConfiguration<L>): Counter<L>
  gauge<L extends string>(definition: GaugeConfiguration<L>): Gauge<L>
  histogram<L extends string>(definition: HistogramConfiguration<L>): Histogram<L>
  /** Prometheus text and its content type. */
  render(): Promise<{ contentType: string; text: string }>
}

/** The metrics of one process, on a registry of their own. Every series carries the label `service`. */
export function createMetrics(service: string): Metrics {
  const registry = new Registry()
  registry.setDefaultLabels({ service })
  collectDefaultMetrics({ register: registry })
  const registers = [registry]
  const up = new Gauge({
    name: 'tideport_dependency_up',
    help: 'Whether a dependency of this process answers',
    labelNames: ['dependency'],
    registers,
  })
  return {
    observeRequest: requestObserver(registry),
    observeMessage: messageObserver(registry),
    setDependency: (dependency, isUp) => up.labels(dependency).set(isUp ? 1 : 0),
    counter: (definition) => new Counter({ ...definition, registers }),
    gauge: (definition) => new Gauge({ ...definition, registers }),
    histogram: (definition) => new Histogram({ ...definition, registers }),
    render: async () => ({ contentType: registry.contentType, text: await registry.metrics() }),
  }
}

function requestObserver(registry: Registry): Metrics['observeRequest'] {
  const duration = new Histogram({
    name: 'http_server_request_duration_seconds',
    help: 'Time from the first line of a request to the end of its answer',
    labelNames: ['http_request_method', 'http_route', 'http_response_status_code'],
    buckets: DURATION_BUCKETS,
    registers: [registry],
  })
  // Looking a child up by its labels costs more than observing, so children are kept.
  const children = new Map<string, Histogram.Internal<string>>()
  return ({ method, route, status }, seconds) => {
    const key = `${method} ${route} ${status}`
    let child = children.get(key)
    if (child === undefined) {
      child = duration.labels(method, route, String(status))
      children.set(key, child)
    }
    child.observe(seconds)
  }
}

function messageObserver(registry: Registry): Metrics['observeMessage'] {
  const duration = new Histogram({
    name: 'messaging_process_duration_seconds',
    help: 'Time from taking a message to settling it',
    labelNames: ['messaging_destination_name', 'messaging_consumer_group_name', 'outcome'],
    buckets: DURATION_BUCKETS,
    registers: [registry],
  })
  return ({ subject, consumer, outcome }, seconds) => duration.labels(subject, consumer, outcome).observe(seconds)
}
