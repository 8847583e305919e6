/** Nothing was sent: the connection was never there, so any request may go elsewhere. */
const notConnected = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
])

/** The connection broke: the request may or may not have been acted upon. */
const broken = new Set(['ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET'])

export function isNotConnected(error: unknown): boolean {
  return notConnected.has(codeOf(error))
}

export function isBrokenConnection(error: unknown): boolean {
  return broken.has(codeOf(error))
}

function codeOf(error: unknown): string {
  return String((error as { code?: unknown } | null)?.code ?? '')
}
