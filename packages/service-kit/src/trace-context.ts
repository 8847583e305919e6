import { randomUUID } from 'node:crypto'

/** What ties the work of one request together: a request id for people, a W3C `traceparent` for tracing systems. */
export interface TraceContext {
  requestId: string
  traceparent: string
}

const REQUEST_ID = /^[A-Za-z0-9][A-Za-z0-9._:-]{0,127}$/
const TRACEPARENT = /^(?!ff)[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-(?!0{16})[0-9a-f]{16}-([0-9a-f]{2})/

/** A context of its own, for work that no request caused. */
export function newTrace(): TraceContext {
  return { requestId: randomUUID(), traceparent: traceparent(randomHex(), '00') }
}

/**
 * Reads the context from headers (`read` gets lower-case names) as a child of the sender's span.
 * What is missing or not well formed is made anew: headers come from outside.
 */
export function traceFrom(read: (name: string) => string | undefined): TraceContext {
  const requestId = read('x-request-id') ?? ''
  const [, traceId, flags] = TRACEPARENT.exec(read('traceparent') ?? '') ?? []
  return {
    requestId: REQUEST_ID.test(requestId) ? requestId : randomUUID(),
    traceparent: traceparent(traceId ?? randomHex(), flags ?? '00'),
  }
}

/** 32 hex digits, the same for all that one request leads to. */
export function traceIdOf({ traceparent }: TraceContext): string {
  return traceparent.slice(3, 35)
}

/** The context as headers, for HTTP and NATS alike. */
export function traceHeaders(trace: TraceContext): { 'x-request-id': string; traceparent: string } {
  return { 'x-request-id': trace.requestId, traceparent: trace.traceparent }
}

function traceparent(traceId: string, flags: string): string {
  return `00-${traceId}-${randomHex().slice(16)}-${flags}`
}

/** 32 digits. Node draws randomness for many UUIDs at once, and for bytes each time. */
function randomHex(): string {
  return randomUUID().replaceAll('-', '')
}
