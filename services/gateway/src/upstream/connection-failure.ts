/** Nothing was sent: the connection was never there, so any request may go elsewhere. */
const notConnected = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
])

const HUNG = 'TIDEPORT_HUNG'

/** The connection broke, or the process hangs: the request may or may not have been acted upon. */
const broken = new Set(['ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET', HUNG])

/** What a request ends with whose process turns out to hang. */
export function hungError(): Error {
  return Object.assign(new Error('The process is unresponsive'), { code: HUNG })
}

export function isNotConnected(error: unknown): boolean {
  return notConnected.has(codeOf(error))
}

export function isBrokenConnection(error: unknown): boolean {
  return broken.has(codeOf(error))
}

/** Nobody was there to refuse it, either. */
export function isConnectTimeout(error: unknown): boolean {
  return codeOf(error) === 'UND_ERR_CONNECT_TIMEOUT'
}

function codeOf(error: unknown): string {
  return String((error as { code?: unknown } | null)?.code ?? '')
}
