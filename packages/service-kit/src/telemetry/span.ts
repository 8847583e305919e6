import { randomUUID } from 'node:crypto'
import type { Attributes, Span } from '@opentelemetry/api'
import { currentTrace, inTrace } from '../context/request-context.ts'
import { childTrace, isSampled, type SentTrace, type TraceContext } from '../context/trace-context.ts'

export interface SpanOptions {
  /** One of few: no ids, no paths. */
  name: string
  kind: 'internal' | 'server' | 'client' | 'producer' | 'consumer'
  /** Nothing that is secret, no URLs, no keys of objects. */
  attributes?: Attributes
  /** Its causes in addition to its parent, as `traceparent`s. */
  links?: readonly (string | undefined)[]
}

/** Starts a span as a child of a `traceparent`, or a trace; whether it is recorded is up to the sampler. */
export type StartSpan = (options: SpanOptions, parent: string | undefined) => Span

/** Null as long as this process records none. Only types of OpenTelemetry are imported here: it takes time to load. */
let startSpan: StartSpan | null = null

export function recordSpans(start: StartSpan | null): void {
  startSpan = start
}

/** Whether it is worth while to say what a span would tell. */
export function recordsSpans(): boolean {
  return startSpan !== null
}

/** A span that was begun, null where it is not recorded, and the context for what happens in it. */
export interface Begun {
  trace: TraceContext
  span: Span | null
}

export function beginSpan(options: SpanOptions, sent: SentTrace): Begun {
  if (startSpan === null) return { trace: childTrace(sent), span: null }
  const span = startSpan(options, sent.traceparent)
  const { traceId, spanId, traceFlags } = span.spanContext()
  const traceparent = `00-${traceId}-${spanId}-0${traceFlags & 1}`
  return { trace: { requestId: sent.requestId, traceparent }, span: span.isRecording() ? span : null }
}

/** Its span records whether it failed. */
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

/** The kind of failure alone: messages may quote what is secret, the log has them by the same trace id. */
export function failSpan(span: Span, error: unknown): void {
  const { code, name } = (error ?? {}) as { code?: unknown; name?: unknown }
  span.setAttribute('error.type', String(code ?? name ?? 'error')).setStatus({ code: ERROR })
}
