import { describe, expect, it } from 'vitest'
import { requestHeaders, responseHeaders } from '../../src/forwarding/forwarded-headers.ts'

describe('headers to a service', () => {
  it('lose identity, forwarding, framing, and hop-by-hop fields, including those named by Connection (A6)', () => {
    const dropped = {
      authorization: 'Bearer x',
      cookie: 'a=b',
      'x-tideport-principal': 'forged',
      'x-tideport-anything': 'forged',
      'x-dev-user-id': 'u',
      'x-dev-provider-id': 'p',
      forwarded: 'for=1.1.1.1',
      'x-forwarded-for': '1.1.1.1',
      'x-forwarded-host': 'evil.test',
      'x-real-ip': '1.1.1.1',
      via: '1.1 evil',
      host: 'evil.test',
      'x-request-id': 'theirs',
      traceparent: 'theirs',
      tracestate: 'theirs=1',
      baggage: 'theirs=1',
      'content-length': '5',
      expect: '100-continue',
      connection: 'keep-alive, X-Secret',
      'x-secret': '1',
      'keep-alive': 'timeout=5',
      'proxy-authorization': 'Basic x',
      te: 'trailers',
      trailer: 'x',
      'transfer-encoding': 'chunked',
      upgrade: 'websocket',
    }
    const kept = {
      accept: '*/*',
      'content-type': 'application/json',
      'if-none-match': '"a"',
      range: 'bytes=0-1',
      'idempotency-key': 'k',
    }
    expect(requestHeaders({ ...dropped, ...kept })).toEqual(kept)
  })
})

describe('headers to a client', () => {
  it('are passed on without hop-by-hop fields and those that the gateway sets itself', () => {
    const kept = {
      etag: '"a"',
      'content-length': '5',
      'content-range': 'bytes 0-4/9',
      'set-cookie': ['a=b', 'c=d'],
      'retry-after': '2',
    }
    const dropped = {
      connection: 'close, x-hop',
      'x-hop': '1',
      'keep-alive': 'timeout=72',
      'transfer-encoding': 'chunked',
      'x-request-id': 'upstream',
      'x-tideport-internal': '1',
      date: 'yesterday',
    }
    expect(responseHeaders({ ...kept, ...dropped }, { 'x-request-id': 'ours' })).toEqual(kept)
  })
})
