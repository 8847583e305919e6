import { randomUUID } from 'node:crypto'

/** What ties the work of one request together: a request id for people, a W3C `traceparent` for tracing systems. */
export interface TraceContext {
  requestId: string
  traceparent: string
}

/** What somebody sent of it: a `traceparent` only when it is well formed. */
export interface SentTrace {
  requestId: string
  traceparent: string | undefined
}

const REQUEST_ID = /^[A-Za-z0-9][A-Za-z0-9._:-]{0,127}$/
const TRACEPARENT = /^(?!ff)[0-9a-f]{2}-((?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2})/

/** A context of its own, for work that no request caused. */
export function newTrace(): TraceContext {
  return childTrace({ requestId: randomUUID(), traceparent: undefined })
}

/** Reads the context from headers (`read` gets lower-case names), which come from outside. */
export function sentTrace(read: (name: string) => string | undefined): SentTrace {
  const requestId = read('x-request-id') ?? ''
  return {
    requestId: REQUEST_ID.test(requestId) ? requestId : randomUUID(),
    traceparent: wellFormed(read('traceparent')),
  }
}

/** Undefined unless it is one that this version of us can read. */
export function wellFormed(traceparent: string | null | undefined): string | undefined {
  const [, known] = TRACEPARENT.exec(traceparent ?? '') ?? []
  return known === undefined ? undefined : `00-${known}`
}

/** The same trace, a span of its own; a new trace, not sampled, without one. */
export function childTrace({ requestId, traceparent }: SentTrace): TraceContext {
  const start = traceparent?.slice(0, 36) ?? `00-${randomHex()}-`
  const flags = traceparent?.slice(53) ?? '00'
  return { requestId, traceparent: `${start}${randomHex().slice(16)}-${flags}` }
}

export function traceIdOf({ traceparent }: TraceContext): string {
  return traceparent.slice(3, 35)
}

export function isSampled({ traceparent }: TraceContext): boolean {
  return (Number.parseInt(traceparent.slice(53), 16) & 1) === 1
}

export function traceHeaders(trace: TraceContext): { 'x-request-id': string; traceparent: string } {
  return { 'x-request-id': trace.requestId, traceparent: trace.traceparent }
}

/** 32 digits. Node draws randomness for many UUIDs at once, and for bytes each time. */
function randomHex(): string {
  return randomUUID().replaceAll('-', '')
}
