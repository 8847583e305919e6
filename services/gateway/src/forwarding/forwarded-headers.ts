import type { IncomingHttpHeaders } from 'node:http'

type Headers = Record<string, string | string[] | undefined>

/** Never forwarded (RFC 9110 §7.6.1). */
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

/** Client claims that services must not receive: they trust only the signed principal (docs/explain/security.md). */
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

/** Set again for the upstream request: the body is buffered here, the host differs, and nothing waits for a 100. */
const framing = new Set(['content-length', 'expect', 'host'])

export function requestHeaders(incoming: IncomingHttpHeaders): Headers {
  const named = connectionOptions(incoming.connection)
  return pick(incoming, (name) => {
    if (hopByHop.has(name) || untrusted.has(name) || framing.has(name) || named.has(name)) return false
    return !untrustedPrefixes.some((prefix) => name.startsWith(prefix))
  })
}

/** Forwards only the cookie of the endpoint, unchanged. Of several with that name, the first has the longest path. */
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
