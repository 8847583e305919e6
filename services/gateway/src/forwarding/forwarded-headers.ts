import type { IncomingHttpHeaders } from 'node:http'

type Headers = Record<string, string | string[] | undefined>

/** Between two neighbours only (RFC 9110 §7.6.1). */
const hopByHop = new Set([
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
])

/** What a client says of itself and services must not hear: only the signed principal counts (SECURITY.md). */
const untrusted = new Set([
  'traceparent',
  'tracestate',
  'baggage',
  'authorization',
  'cookie',
  'forwarded',
  'via',
  'x-real-ip',
  'x-request-id',
])
const untrustedPrefixes = ['x-tideport-', 'x-dev-', 'x-forwarded-']

/** Decided anew by whoever sends: the body is buffered here, the host is the upstream's, nothing waits for a 100. */
const framing = new Set(['content-length', 'expect', 'host'])

export function requestHeaders(incoming: IncomingHttpHeaders): Headers {
  const named = connectionOptions(incoming.connection)
  return pick(incoming, (name) => {
    if (hopByHop.has(name) || untrusted.has(name) || framing.has(name) || named.has(name)) return false
    return !untrustedPrefixes.some((prefix) => name.startsWith(prefix))
  })
}

/** Of a client's cookies the one that an endpoint is for, as its browser gave it: of several the first, of the longest path. */
export function cookieHeader({ cookie = '' }: IncomingHttpHeaders, name: string): Headers {
  const own = cookie.split(';').find((pair) => pair.trim().startsWith(`${name}=`))
  return own === undefined ? {} : { cookie: own.trim() }
}

export function responseHeaders(answered: Headers, ours: object): Headers {
  const named = connectionOptions(answered.connection)
  return pick(answered, (name) => {
    if (hopByHop.has(name) || named.has(name) || name in ours || name === 'date') return false
    return !name.startsWith('x-tideport-')
  })
}

function pick(headers: Headers, isKept: (name: string) => boolean): Headers {
  const kept: Headers = {}
  for (const name in headers) if (isKept(name)) kept[name] = headers[name]
  return kept
}

function connectionOptions(connection: string | string[] | undefined): Set<string> {
  if (connection === undefined || connection === 'keep-alive' || connection === 'close') return new Set()
  return new Set([connection].flat().flatMap((line) => line.split(',').map((name) => name.trim().toLowerCase())))
}
