import { AsyncLocalStorage } from 'node:async_hooks'
import { randomUUID } from 'node:crypto'
import type { Attributes, Span } from '@opentelemetry/api'
import { currentTrace, inTrace } from '../context/request-context.ts'
import { childTrace, isSampled, type SentTrace, type TraceContext } from '../context/trace-context.ts'

export interface SpanOptions {
  /** One of a small set of names, without IDs and paths. */
  name: string
  kind: 'internal' | 'server' | 'client' | 'producer' | 'consumer'
  /** No secrets, URLs, or object keys. */
  attributes?: Attributes
  /** Other causes than the parent, as `traceparent` values. */
  links?: readonly (string | undefined)[]
}

/**
 * Starts a span of a service as a child of a `traceparent`, or starts a new trace. The sampler decides whether it is
 * recorded. Without a service, the span belongs to the process.
 */
export type StartSpan = (options: SpanOptions, parent: string | undefined, service: string | undefined) => Span

/** Null while this process records no spans. This file imports only types of OpenTelemetry, which is slow to load. */
let startSpan: StartSpan | null = null

const currentService = new AsyncLocalStorage<string>()

/** Spans of `work`, and of everything that it starts, belong to this service. */
export function inService<T>(service: string, work: () => T): T {
  return currentService.run(service, work)
}

/** The service that started the current work. */
export const serviceOfWork = (): string | undefined => currentService.getStore()

export function recordSpans(start: StartSpan | null): void {
  startSpan = start
}

/** Callers check this before they compute what a span would contain. */
export function recordsSpans(): boolean {
  return startSpan !== null
}

/** A started span, and the context for work inside it. The span is null if it is not recorded. */
export interface Begun {
  trace: TraceContext
  span: Span | null
}

export function beginSpan(options: SpanOptions, sent: SentTrace): Begun {
  if (startSpan === null) return { trace: childTrace(sent), span: null }
  const span = startSpan(options, sent.traceparent, currentService.getStore())
  const { traceId, spanId, traceFlags } = span.spanContext()
  const traceparent = `00-${traceId}-${spanId}-0${traceFlags & 1}`
  return { trace: { requestId: sent.requestId, traceparent }, span: span.isRecording() ? span : null }
}

/** Runs `work` in a span. The span records a failure. */
export function inSpan<T>(options: SpanOptions, work: (span: Span | null) => Promise<T>): Promise<T> {
  if (startSpan === null) return work(null)
  const parent = currentTrace()
  return isSampled(parent) ? inBegun(beginSpan(options, parent), work) : work(null)
}

export async function inOwnTrace<T>(name: string, work: () => Promise<T>): Promise<T> {
  return await inBegun(beginSpan({ name, kind: 'internal' }, { requestId: randomUUID(), traceparent: undefined }), work)
}

async function inBegun<T>({ trace, span }: Begun, work: (span: Span | null) => Promise<T>): Promise<T> {
  try {
    return await inTrace(trace, () => work(span))
  } catch (error) {
    if (span) failSpan(span, error)
    throw error
  } finally {
    span?.end()
  }
}

const ERROR = 2

/** Records only the kind of failure: messages may quote secrets. The log has them under the same trace ID. */
export function failSpan(span: Span, error: unknown): void {
  const { code, name } = (error ?? {}) as { code?: unknown; name?: unknown }
  span.setAttribute('error.type', String(code ?? name ?? 'error')).setStatus({ code: ERROR })
}
