const SENTENCES: Record<string, string> = {
  ENOTFOUND: 'The host name could not be resolved',
  EAI_AGAIN: 'The host name could not be resolved',
  UND_ERR_CONNECT_TIMEOUT: 'The connection could not be made in time',
  ECONNREFUSED: 'The connection could not be made',
  EHOSTUNREACH: 'The connection could not be made',
  ENETUNREACH: 'The connection could not be made',
  ETIMEDOUT: 'The connection could not be made in time',
  ECONNRESET: 'The connection was closed before the answer was complete',
  EPIPE: 'The connection was closed before the answer was complete',
  UND_ERR_SOCKET: 'The connection was closed before the answer was complete',
  UND_ERR_HEADERS_OVERFLOW: 'The headers of the answer were too large',
}
const UNKNOWN = 'The request failed'
const TLS_CODE = /^(ERR_TLS|ERR_SSL|CERT_|UNABLE_TO_|DEPTH_ZERO_|SELF_SIGNED_|HOSTNAME_MISMATCH|EPROTO)/

/** What the owner of a webhook is told about a call that failed. A fixed vocabulary: the raw text may name our insides. */
export function describeFailure(error: unknown): string {
  if (!(error instanceof Error)) return UNKNOWN
  const code = String((error as { code?: unknown }).code ?? '')
  const sentence = Object.hasOwn(SENTENCES, code) ? SENTENCES[code] : undefined
  if (sentence !== undefined) return sentence
  if (TLS_CODE.test(code)) return 'A secure connection could not be made'
  if (error.name === 'HTTPParserError') return 'The answer was not valid HTTP'
  return UNKNOWN
}

/** Null for success, which is exactly a 2xx. */
export function describeStatus(statusCode: number): string | null {
  if (statusCode >= 200 && statusCode < 300) return null
  if (statusCode >= 300 && statusCode < 400) return `Answered ${statusCode}; redirects are not followed`
  return `Answered ${statusCode}`
}
