import { randomUUID } from 'node:crypto'
import { maxHeaderSize } from 'node:http'
import type { Socket } from 'node:net'
import { AppError } from '@tideport/service-kit/app-error'
import { toErrorReply } from '@tideport/service-kit/error-reply'
import type { ConnectionError } from 'fastify'
import { TOKEN_MAX_LENGTH } from './authenticate.ts'
import { unauthenticated } from './unauthenticated.ts'

const LINGER_MS = 2000

/**
 * Answers what Node's parser gave up on. A credential too long for any header gets the same 401 as every other wrong
 * one. What the client still sends is read and dropped for a moment, or the reset would take the answer with it.
 */
export function answerUnreadable(error: ConnectionError, socket: Socket): void {
  if (error.code === 'ECONNRESET' || socket.writableEnded || !socket.writable) {
    if (!socket.writableEnded) socket.destroy()
    return
  }
  const { status, headers, body } = toErrorReply(failureOf(error))
  const text = JSON.stringify(body)
  const lines = {
    ...headers,
    ...(status === 401 ? { 'www-authenticate': 'Bearer' } : {}),
    'content-type': 'application/json; charset=utf-8',
    'x-request-id': randomUUID(),
    'content-length': String(Buffer.byteLength(text)),
    connection: 'close',
  }
  const head = Object.entries(lines).map(([name, value]) => `${name}: ${value}\r\n`)
  socket.end(`HTTP/1.1 ${status} ${status === 401 ? 'Unauthorized' : 'Bad Request'}\r\n${head.join('')}\r\n${text}`)
  socket.setTimeout(LINGER_MS, () => socket.destroy())
}

function failureOf({ code, rawPacket }: ConnectionError): AppError {
  // Fastify's type tells of a JSON form of the packet; what Node hands over is a Buffer.
  const received = Buffer.isBuffer(rawPacket) ? rawPacket.toString('latin1') : ''
  const [credential = ''] = /\r\nauthorization:[^\r]*/i.exec(received) ?? []
  if (code !== 'HPE_HEADER_OVERFLOW') return new AppError('validation_failed', 'The request could not be read')
  if (credential.length > TOKEN_MAX_LENGTH) return unauthenticated()
  return new AppError('validation_failed', `The request's line and headers are larger than ${maxHeaderSize / 1024} KiB`)
}
