import { explainUnreadable } from '@tideport/service-kit/http/unreadable-request'
import type { AppError } from '@tideport/service-kit/process/app-error'
import type { ConnectionError } from 'fastify'
import { TOKEN_MAX_LENGTH } from './identity/authenticate.ts'
import { unauthenticated } from './identity/unauthenticated.ts'

/** A credential too long for any header gets the same 401 as every other wrong one. */
export function explainAtTheDoor(error: ConnectionError): AppError {
  // Fastify's type tells of a JSON form of the packet; what Node hands over is a Buffer.
  const received = Buffer.isBuffer(error.rawPacket) ? error.rawPacket.toString('latin1') : ''
  const [credential = ''] = /\r\nauthorization:[^\r]*/i.exec(received) ?? []
  const isTooLong = error.code === 'HPE_HEADER_OVERFLOW' && credential.length > TOKEN_MAX_LENGTH
  return isTooLong ? unauthenticated() : explainUnreadable(error)
}
