import { randomUUID } from 'node:crypto'
import type { IncomingMessage, Server } from 'node:http'
import type { Socket } from 'node:net'
import type { ConnectionError, FastifyInstance } from 'fastify'
import { AppError } from '../process/app-error.ts'
import { http } from '../process/node-http.ts'
import { endAfterAnswers, guardConnections, keepAnswering } from './connection.ts'
import { toErrorReply } from './error-reply.ts'
import { takesItsTime } from './streamed-body.ts'

/** The error for a request that Node's parser rejected, if a response is sent. */
type ExplainUnreadable = (error: ConnectionError) => AppError

interface Rendered {
  status: number
  headers: Record<string, string>
  body: string
}

/** The response to an error in the format of the API. */
type Render = (error: AppError) => Rendered

/** For `clientErrorHandler`: responds to unreadable requests after those in progress, and closes the connection. */
export function createUnreadableHandler(explain: ExplainUnreadable = explainUnreadable, render: Render = asJson) {
  return (error: ConnectionError, socket: Socket): void => {
    // Node checks a request only once. The code that reads the bytes checks whether more arrive.
    if (error.code === 'ERR_HTTP_REQUEST_TIMEOUT' && takesItsTime(socket)) return
    if (error.code === 'ECONNRESET' || socket.destroyed) return void socket.destroy()
    endAfterAnswers(socket, () => rawAnswer(render(explain(error))))
  }
}

export function explainUnreadable({ code }: { code: string }): AppError {
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return new AppError('request_timeout', 'The request did not arrive in time')
  if (code !== 'HPE_HEADER_OVERFLOW') return new AppError('validation_failed', 'The request could not be read')
  return new AppError(
    'validation_failed',
    `The request line and headers are larger than ${http.maxHeaderSize / 1024} KiB`,
  )
}

/** Closes connections with too many concurrent requests. Call this after adding all `request` listeners. */
export function refusePipelining({ server }: FastifyInstance, render: Render = asJson): void {
  const tooMany = () =>
    new AppError('rate_limited', 'Too many requests at once on one connection', { retryAfterSeconds: 1 })
  guardConnections(server as Server, () => rawAnswer(render(tooMany())))
}

/** Responds 405 to CONNECT after the responses in progress. Node would close the connection immediately. */
export function refuseTunnels({ server }: FastifyInstance, render: Render = asJson): void {
  const noTunnels = () => new AppError('method_not_allowed', 'The method is not allowed here')
  server.on('connect', (_request: IncomingMessage, socket: Socket) => {
    keepAnswering(socket)
    endAfterAnswers(socket, () => rawAnswer(render(noTunnels())))
  })
}

function asJson(error: AppError): Rendered {
  const { status, headers, body } = toErrorReply(error)
  const own = { ...headers, ...(status === 401 ? { 'www-authenticate': 'Bearer' } : {}) }
  return { status, headers: { ...own, 'content-type': 'application/json; charset=utf-8' }, body: JSON.stringify(body) }
}

function rawAnswer({ status, headers, body: text }: Rendered): string {
  const lines = {
    ...headers,
    // CONNECT targets no resource, so no method is allowed (RFC 9110 §10.2.1).
    ...(status === 405 ? { allow: '' } : {}),
    'x-request-id': randomUUID(),
    'content-length': String(Buffer.byteLength(text)),
    connection: 'close',
  }
  const head = Object.entries(lines).map(([name, value]) => `${name}: ${value}\r\n`)
  return `HTTP/1.1 ${status} ${http.STATUS_CODES[status]}\r\n${head.join('')}\r\n${text}`
}
