/** `not_sent` is a failure of this service: it did not contact the receiver. */
export type Failure = 'timed_out' | 'blocked' | 'not_sent' | 'other'

const KINDS: Record<string, Failure> = {
  NAME_SILENT: 'timed_out',
  NAME_NOT_LOOKED_UP: 'not_sent',
  UND_ERR_CONNECT_TIMEOUT: 'timed_out',
  ETIMEDOUT: 'timed_out',
  TARGET_BLOCKED: 'blocked',
}

const SENTENCES: Record<string, string> = {
  ENOTFOUND: 'The host name could not be resolved',
  NAME_SILENT: 'The host name could not be resolved in time',
  NAME_NOT_LOOKED_UP: 'Nothing was sent: host names cannot be resolved at the moment',
  UND_ERR_CONNECT_TIMEOUT: 'The connection could not be established in time',
  // The same sentence as for the next codes: a difference would reveal the servers of a private network.
  TARGET_BLOCKED: 'The connection could not be established',
  ECONNREFUSED: 'The connection could not be established',
  EHOSTUNREACH: 'The connection could not be established',
  ENETUNREACH: 'The connection could not be established',
  ETIMEDOUT: 'The connection could not be established in time',
  ECONNRESET: 'The connection was closed before the response was complete',
  EPIPE: 'The connection was closed before the response was complete',
  UND_ERR_SOCKET: 'The connection was closed before the response was complete',
  UND_ERR_HEADERS_OVERFLOW: 'The response headers were too large',
}
const UNKNOWN = 'The request failed'
const TLS_CODE = /^(ERR_TLS|ERR_SSL|CERT_|UNABLE_TO_|DEPTH_ZERO_|SELF_SIGNED_|HOSTNAME_MISMATCH|EPROTO)/

/** Customers get fixed sentences, because raw errors may name internal hosts. */
export function describeFailure(error: unknown): string {
  if (!(error instanceof Error)) return UNKNOWN
  const code = codeOf(error)
  const sentence = Object.hasOwn(SENTENCES, code) ? SENTENCES[code] : undefined
  if (sentence !== undefined) return sentence
  if (TLS_CODE.test(code)) return 'A secure connection could not be established'
  if (error.name === 'HTTPParserError') return 'The response was not valid HTTP'
  return UNKNOWN
}

export function classifyFailure(error: unknown): Failure {
  const code = codeOf(error)
  return (Object.hasOwn(KINDS, code) ? KINDS[code] : undefined) ?? 'other'
}

function codeOf(error: unknown): string {
  return String((error as { code?: unknown } | null)?.code ?? '')
}

/** Null for success, which is a 2xx status only. */
export function describeStatus(statusCode: number): string | null {
  if (statusCode >= 200 && statusCode < 300) return null
  if (statusCode >= 300 && statusCode < 400) return `HTTP status ${statusCode}; redirects are not followed`
  return `HTTP status ${statusCode}`
}
