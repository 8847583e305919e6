import { ROOT_CONTEXT, type SpanContext, SpanKind, type Tracer, trace } from '@opentelemetry/api'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto'
import { detectResources, envDetector, resourceFromAttributes } from '@opentelemetry/resources'
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  BatchSpanProcessor,
  ParentBasedSampler,
  type Sampler,
  type SpanExporter,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace'
import type { SamplerName } from '../config/tracing-settings.ts'
import type { Log } from './logger.ts'
import { recordSpans, type StartSpan } from './span.ts'

const kinds = {
  internal: SpanKind.INTERNAL,
  server: SpanKind.SERVER,
  client: SpanKind.CLIENT,
  producer: SpanKind.PRODUCER,
  consumer: SpanKind.CONSUMER,
}

interface TracingOptions {
  /** Name for spans that belong to no single service of the process. */
  service: string
  sampler: SamplerName
  ratio: number
  log: Log
}

export interface Tracing {
  /** Stops recording. Recorded spans are sent within this time or dropped. */
  end(withinMs: number): Promise<void>
}

/**
 * Sends spans in batches, and drops spans that it cannot send. Settings: `OTEL_*`. This file is imported only when a
 * collector is configured (ADR 0035).
 */
export function startTracing({ service: processName, sampler, ratio, log }: TracingOptions): Tracing {
  const processor = new BatchSpanProcessor({ exporter: telling(new OTLPTraceExporter(), log) })
  const fromEnvironment = detectResources({ detectors: [envDetector] })
  const tracers = new Map<string, Tracer>()
  /** Backends read the service of a span from its resource, so each service has a resource and a provider of its own. */
  function tracerOf(service: string): Tracer {
    const known = tracers.get(service)
    if (known !== undefined) return known
    const resource = resourceFromAttributes({ 'service.name': `tideport-${service}` }).merge(fromEnvironment)
    const provider = new TracerProvider({ resource, sampler: samplers[sampler](ratio), spanProcessors: [processor] })
    const tracer = provider.getTracer('tideport')
    tracers.set(service, tracer)
    return tracer
  }
  const start: StartSpan = ({ name, kind, attributes, links = [] }, parent, service = processName) => {
    const contexts = links.flatMap((link) => (link === undefined ? [] : [{ context: parse(link) }]))
    const context = parent === undefined ? ROOT_CONTEXT : trace.setSpanContext(ROOT_CONTEXT, parse(parent))
    const span = tracerOf(service).startSpan(name, { kind: kinds[kind], links: contexts }, context)
    return attributes && span.isRecording() ? span.setAttributes(attributes) : span
  }
  recordSpans(start)
  return {
    async end(withinMs) {
      recordSpans(null)
      const { promise: late, resolve } = Promise.withResolvers<void>()
      const timer = setTimeout(resolve, withinMs)
      await Promise.race([processor.shutdown().catch(() => {}), late])
      clearTimeout(timer)
    },
  }
}

const always = new AlwaysOnSampler()
const never = new AlwaysOffSampler()
const samplers: Record<SamplerName, (ratio: number) => Sampler> = {
  always_on: () => always,
  always_off: () => never,
  traceidratio: (ratio) => new TraceIdRatioBasedSampler(ratio),
  parentbased_always_on: () => new ParentBasedSampler({ root: always }),
  parentbased_always_off: () => new ParentBasedSampler({ root: never }),
  parentbased_traceidratio: (ratio) => new ParentBasedSampler({ root: new TraceIdRatioBasedSampler(ratio) }),
}

function parse(traceparent: string): SpanContext {
  const [, traceId = '', spanId = '', flags = '00'] = traceparent.split('-')
  return { traceId, spanId, traceFlags: Number.parseInt(flags, 16), isRemote: true }
}

/** Logs when the collector rejects spans, and when it accepts them again. */
function telling(exporter: SpanExporter, log: Log): SpanExporter {
  let isFailing = false
  return {
    export(spans, done) {
      exporter.export(spans, (result) => {
        const failed = result.code !== 0
        if (failed && !isFailing) log.warn({ err: result.error }, 'spans could not be sent, dropping them')
        if (!failed && isFailing) log.info('spans are sent again')
        isFailing = failed
        done(result)
      })
    },
    shutdown: () => exporter.shutdown(),
  }
}
