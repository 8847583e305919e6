import { randomUUID } from 'node:crypto'

/** Links the work of one request: a request ID for people, a W3C `traceparent` for tracing systems. */
export interface TraceContext {
  requestId: string
  traceparent: string
}

/** A trace context as received. `traceparent` is undefined unless it is valid. */
export interface SentTrace {
  requestId: string
  traceparent: string | undefined
}

const REQUEST_ID = /^[A-Za-z0-9][A-Za-z0-9._:-]{0,127}$/
const TRACEPARENT = /^(?!ff)[0-9a-f]{2}-((?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2})/

/** A new context for work that no request caused. */
export function newTrace(): TraceContext {
  return childTrace({ requestId: randomUUID(), traceparent: undefined })
}

/** Reads the context from untrusted headers. `read` gets lowercase names. */
export function sentTrace(read: (name: string) => string | undefined): SentTrace {
  const requestId = read('x-request-id') ?? ''
  return {
    requestId: REQUEST_ID.test(requestId) ? requestId : randomUUID(),
    traceparent: wellFormed(read('traceparent')),
  }
}

/** Reduces a `traceparent` of any version to version 00. Undefined for an invalid one. */
export function wellFormed(traceparent: string | null | undefined): string | undefined {
  const [, known] = TRACEPARENT.exec(traceparent ?? '') ?? []
  return known === undefined ? undefined : `00-${known}`
}

/** A new span in the same trace. Without a `traceparent`, a new trace that is not sampled. */
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

/** 32 digits. Node generates random data for many UUIDs together, but for `randomBytes` on each call. */
function randomHex(): string {
  return randomUUID().replaceAll('-', '')
}
