import type { Span } from '@opentelemetry/api'
import { childTrace, type SentTrace } from '../context/trace-context.ts'
import { type Begun, beginSpan, failSpan, recordsSpans, type SpanOptions } from './span.ts'

export interface ServerSpanOptions {
  /** Whether clients may be unauthenticated. If so, their trace is only linked, and their sampling decision ignored. */
  isBorder: boolean
}

export function beginServerSpan(
  { method, route }: { method: string; route: string | undefined },
  sent: SentTrace,
  { isBorder }: ServerSpanOptions,
): Begun {
  const parent = isBorder ? { requestId: sent.requestId, traceparent: undefined } : sent
  if (!recordsSpans()) return { trace: childTrace(parent), span: null }
  const options: SpanOptions = {
    name: route === undefined ? method : `${method} ${route}`,
    kind: 'server',
    attributes: {
      'http.request.method': method,
      'url.scheme': 'http',
      'tideport.request_id': sent.requestId,
      ...(route === undefined ? {} : { 'http.route': route }),
    },
  }
  return beginSpan(isBorder ? { ...options, links: [sent.traceparent] } : options, parent)
}

/** The span of a call from one of our services to another. */
export function callSpan(service: string, { method, path }: { method: string; path: string }): SpanOptions {
  const attributes = { 'http.request.method': method, 'url.template': path, 'tideport.upstream': service }
  return { name: `${method} ${path}`, kind: 'client', attributes }
}

export function endServerSpan(span: Span, status: number): void {
  noteStatus(span, status, 500)
  span.end()
}

/** A 400 response is a failure for the client; for the server, only a 500 response is. */
export function noteStatus(span: Span, status: number, failsFrom = 400): void {
  span.setAttribute('http.response.status_code', status)
  if (status >= failsFrom) failSpan(span, { code: status })
}
