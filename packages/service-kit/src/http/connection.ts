import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

/** Maximum requests in progress per connection. No client needs more, and each request costs time. */
export const UNDER_WAY_MAX = 16
/** How long a connection stays open after its FIN was sent, because a reset would discard the response. */
const LINGER_MS = 2000

interface Exchange {
  request: IncomingMessage
  response: ServerResponse
}

interface Connection {
  /** Exchanges in progress, in the order of their responses. */
  exchanges: Set<Exchange>
  isEnding: boolean
}

const connections = new WeakMap<Socket, Connection>()

/**
 * Runs between Node's parser and the server. A request above the limit closes the connection after the earlier
 * responses, because Node cannot pause within a packet. Fastify's `serverFactory` would listen on only one address of
 * `localhost`.
 */
export function guardConnections(server: Server, refusal: () => string): void {
  const listeners = server.listeners('request') as RequestListener[]
  server.removeAllListeners('request')
  server.on('request', (request, response) => {
    const { socket } = request
    const connection = connectionOf(socket)
    if (connection.isEnding) return
    if (connection.exchanges.size >= UNDER_WAY_MAX) {
      stopReading(socket)
      return endAfterAnswers(socket, refusal)
    }
    const exchange = { request, response }
    connection.exchanges.add(exchange)
    response.once('close', () => connection.exchanges.delete(exchange))
    for (const listen of listeners) listen.call(server, request, response)
  })
}

function connectionOf(socket: Socket): Connection {
  const known = connections.get(socket)
  if (known !== undefined) return known
  const connection = { exchanges: new Set<Exchange>(), isEnding: false }
  connections.set(socket, connection)
  // When the client disconnects, Node notifies only the first response in the queue.
  socket.once('close', () => {
    for (const { response } of connection.exchanges) if (response.socket === null) response.emit('close')
  })
  return connection
}

/** Sends `lastWords` after the responses in progress and closes the connection. Further calls have no effect. */
export function endAfterAnswers(socket: Socket, lastWords: () => string): void {
  const connection = connectionOf(socket)
  if (connection.isEnding) return
  connection.isEnding = true
  afterAnswers(connection, () => {
    if (!socket.writable) return void socket.destroy()
    socket.end(lastWords())
    socket.setTimeout(LINGER_MS, () => socket.destroy())
  })
}

/** Does for responses in progress what Node stops doing after it passes the socket to a `connect` listener. */
export function keepAnswering(socket: Socket): void {
  const { exchanges } = connectionOf(socket)
  socket.on('error', () => socket.destroy())
  socket.on('drain', () => {
    for (const { response } of exchanges) if (response.socket === socket) response.emit('drain')
  })
  // Without reading, a disconnected client would go unnoticed.
  socket.resume()
}

function afterAnswers(connection: Connection, then: () => void): void {
  const owed = [...connection.exchanges].findLast(isOwed)
  if (owed === undefined) then()
  else owed.response.once('close', () => afterAnswers(connection, then))
}

/** False for an incomplete request without a response: it is the one that cannot be read, so no response will come. */
function isOwed({ request, response }: Exchange): boolean {
  return !response.closed && (request.complete || response.headersSent)
}

/** Pauses permanently: Node resumes reading after each response. */
function stopReading(socket: Socket): void {
  socket.pause()
  socket.on('resume', () => socket.pause())
}
