/** No connection was established and nothing was sent, so any request may be retried elsewhere. */
const notConnected = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
])

const HUNG = 'TIDEPORT_HUNG'

/** The connection broke or the process is unresponsive: the request may have taken effect. */
const broken = new Set(['ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET', HUNG])

/** The error of a request whose process becomes unresponsive. */
export function hungError(): Error {
  return Object.assign(new Error('The process is unresponsive'), { code: HUNG })
}

export function isNotConnected(error: unknown): boolean {
  return notConnected.has(codeOf(error))
}

export function isBrokenConnection(error: unknown): boolean {
  return broken.has(codeOf(error))
}

/** The connection was neither accepted nor refused. */
export function isConnectTimeout(error: unknown): boolean {
  return codeOf(error) === 'UND_ERR_CONNECT_TIMEOUT'
}

function codeOf(error: unknown): string {
  return String((error as { code?: unknown } | null)?.code ?? '')
}
