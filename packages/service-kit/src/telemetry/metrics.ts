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
import ownPackage from '../../package.json' with { type: 'json' }
import { durationBuckets, type MessageMetrics, messageMetrics } from './message-metrics.ts'

const CALL_BUCKETS = [0.005, 0.025, 0.1, 0.5, 1, 2.5, 5, 10, 30]

interface HttpRequestLabels {
  method: string
  /** The route's pattern, never the path. */
  route: string
  status: number
}

interface CallLabels {
  peer: 'auth' | 'files' | 'webhooks' | 'object_storage' | 'storage_network' | 'webhook_receiver'
  operation: string
  /** An HTTP status, shown as its class only. Without a status, a word for the result. */
  outcome: number | 'ok' | 'failed'
}

export interface Metrics extends MessageMetrics {
  observeRequest(labels: HttpRequestLabels, seconds: number): void
  /** Records the time until the response of another server begins. */
  observeCall(labels: CallLabels, seconds: number): void
  setDependency(dependency: string, isUp: boolean): void
  markDraining(): void
  /** Each owner creates its own metrics. Labels are closed sets; IDs belong in logs. */
  counter<L extends string>(definition: CounterConfiguration<L>): Counter<L>
  gauge<L extends string>(definition: GaugeConfiguration<L>): Gauge<L>
  histogram<L extends string>(definition: HistogramConfiguration<L>): Histogram<L>
  /** Adds a gauge that is read for each scrape. It has no series while it has no value. */
  show(name: string, help: string, read: () => Eventually<number | null | undefined>): void
  /** Adds a gauge with one series for each value of a label, read for each scrape. */
  showEach(name: string, label: string, help: string, read: () => Eventually<Record<string, number>>): void
  /** Adds the metrics of the process: CPU, memory, event loop. */
  observeProcess(): void
  render(): Promise<Rendered>
}

interface Rendered {
  contentType: string
  text: string
}

type Eventually<T> = T | Promise<T>

/** Reported lags include this interval. At the default of 10 ms, sampling is most of the work of an idle process. */
const LAG_LOOK_MS = 50

/** The metrics of one process, in their own registry. Every series has the label `service`. */
export function createMetrics(service: string): Metrics {
  const registry = new Registry()
  registry.setDefaultLabels({ service })
  const registers = [registry]
  const up = new Gauge({
    name: 'tideport_dependency_up',
    help: '1 if a dependency responds to this process',
    labelNames: ['dependency'],
    registers,
  })
  new Gauge({
    name: 'tideport_build_info',
    help: 'Always 1; version of Tideport and of Node',
    labelNames: ['version', 'node'],
    registers,
  }).set({ version: ownPackage.version, node: process.version }, 1)
  const draining = new Gauge({
    name: 'tideport_draining',
    help: '1 while this process is stopping',
    registers,
  })
  return {
    ...messageMetrics(registry),
    observeRequest: requestObserver(registry),
    observeCall: callObserver(registry),
    markDraining: () => draining.set(1),
    setDependency: (dependency, isUp) => up.labels(dependency).set(isUp ? 1 : 0),
    counter: (definition) => new Counter({ ...definition, registers }),
    gauge: (definition) => new Gauge({ ...definition, registers }),
    histogram: (definition) => new Histogram({ ...definition, registers }),
    show: (name, help, read) => showValue({ name, help, registers }, read),
    showEach: (name, label, help, read) => showValues({ name, help, labelNames: [label], registers }, read),
    observeProcess: () => collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: LAG_LOOK_MS }),
    render: async () => ({ contentType: registry.contentType, text: await registry.metrics() }),
  }
}

/** The metrics of several services in one text, in which each name has one group, as the format requires. */
export async function renderAll(all: Iterable<Metrics>): Promise<Rendered> {
  const rendered = await Promise.all([...all].map((metrics) => metrics.render()))
  const groups = new Map<string, string[]>()
  for (const { text } of rendered) {
    for (const group of text.trimEnd().split('\n\n')) {
      const [help = '', type = '', ...series] = group.split('\n')
      const known = groups.get(type)
      if (known === undefined) groups.set(type, [help, type, ...series])
      else known.push(...series)
    }
  }
  const text = `${[...groups.values()].map((lines) => lines.join('\n')).join('\n\n')}\n`
  return { contentType: rendered[0]?.contentType ?? '', text }
}

function showValue(definition: GaugeConfiguration<string>, read: () => Eventually<number | null | undefined>): void {
  new Gauge({
    ...definition,
    async collect() {
      const value = await read()
      if (value === null || value === undefined) this.remove()
      else this.set(value)
    },
  })
}

function showValues(definition: GaugeConfiguration<string>, read: () => Eventually<Record<string, number>>): void {
  const gauge = new Gauge({
    ...definition,
    async collect() {
      const values = await read()
      this.reset()
      for (const [key, value] of Object.entries(values)) gauge.labels(key).set(value)
    },
  })
}

function requestObserver(registry: Registry): Metrics['observeRequest'] {
  const duration = new Histogram({
    name: 'http_server_request_duration_seconds',
    help: 'Time from the first line of a request to the end of its response',
    labelNames: ['http_request_method', 'http_route', 'http_response_status_code'],
    buckets: durationBuckets,
    registers: [registry],
  })
  const observe = keepingChildren(duration)
  return ({ method, route, status }, seconds) => observe([method, route, String(status)], seconds)
}

function callObserver(registry: Registry): Metrics['observeCall'] {
  const duration = new Histogram({
    name: 'http_client_request_duration_seconds',
    help: 'Time until the response of another service, the object storage, a storage network, or a webhook receiver begins',
    labelNames: ['peer', 'operation', 'outcome'],
    buckets: CALL_BUCKETS,
    registers: [registry],
  })
  const observe = keepingChildren(duration)
  return ({ peer, operation, outcome }, seconds) =>
    observe([peer, operation, typeof outcome === 'number' ? `${Math.floor(outcome / 100)}xx` : outcome], seconds)
}

/** Caches children: finding a child by its labels costs more than observing a value. */
function keepingChildren(histogram: Histogram) {
  const children = new Map<string, Histogram.Internal<string>>()
  return (labels: string[], seconds: number): void => {
    const key = labels.join(' ')
    let child = children.get(key)
    if (child === undefined) {
      child = histogram.labels(...labels)
      children.set(key, child)
    }
    child.observe(seconds)
  }
}
