import { describe, expect, it } from 'vitest'
import { childTrace, newTrace, sentTrace, traceHeaders } from '../../src/context/trace-context.ts'

const PARENT = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01'
const VALID = /^00-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$/

function read(headers: Record<string, string>) {
  return childTrace(sentTrace((name) => headers[name]))
}

describe('trace context', () => {
  it('continues the trace and request ID of the sender in a new span', () => {
    const trace = read({ traceparent: PARENT, 'x-request-id': 'req-1' })
    expect(trace.requestId).toBe('req-1')
    expect(trace.traceparent).toMatch(/^00-4bf92f3577b34da6a3ce929d0e0e4736-[0-9a-f]{16}-01$/)
    expect(trace.traceparent).not.toBe(PARENT)
  })

  it.each([
    '',
    'garbage',
    '00-00000000000000000000000000000000-00f067aa0ba902b7-01',
    '00-4bf92f3577b34da6a3ce929d0e0e4736-0000000000000000-01',
    'ff-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01',
    '00-4BF92F3577B34DA6A3CE929D0E0E4736-00f067aa0ba902b7-01',
  ])('starts a new trace when the header is %j', (traceparent) => {
    const trace = read({ traceparent })
    expect(trace.traceparent).toMatch(VALID)
    expect(trace.traceparent).not.toMatch(/4bf92f35|0{32}/)
  })

  it.each(['', 'a b', 'a\nb', '<script>', 'x'.repeat(129), '-leading'])(
    'creates a new request ID instead of %j',
    (requestId) => {
      expect(read({ 'x-request-id': requestId }).requestId).toMatch(/^[0-9a-f-]{36}$/)
    },
  )

  it('is the same on both sides after it was sent in headers', () => {
    const sent = newTrace()
    const headers: Record<string, string> = traceHeaders(sent)
    const received = read(headers)
    expect(received.requestId).toBe(sent.requestId)
    expect(received.traceparent.slice(0, 36)).toBe(sent.traceparent.slice(0, 36))
  })
})
