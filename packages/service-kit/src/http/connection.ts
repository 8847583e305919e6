import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

/** For each connection: no client needs as many, and each costs time. */
export const UNDER_WAY_MAX = 16
/** How long a connection stays open after its end was sent, because a reset would discard the response. */
const LINGER_MS = 2000

interface Exchange {
  request: IncomingMessage
  response: ServerResponse
}

interface Connection {
  /** Under way, in the order of their answers. */
  exchanges: Set<Exchange>
  isEnding: boolean
}

const connections = new WeakMap<Socket, Connection>()

/**
 * Between Node's parser and the server. One request too many closes the connection after the earlier responses, because
 * Node cannot pause within a packet. Fastify's `serverFactory` would listen on only one address of `localhost`.
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
  // Node tells only the first response in line that its client has gone.
  socket.once('close', () => {
    for (const { response } of connection.exchanges) if (response.socket === null) response.emit('close')
  })
  return connection
}

/** Closes after the responses in progress, with `lastWords` as the response to what came behind. Repeatable. */
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

/** Does for the answers under way on a connection what Node does no more once it has given that away. */
export function keepAnswering(socket: Socket): void {
  const { exchanges } = connectionOf(socket)
  socket.on('error', () => socket.destroy())
  socket.on('drain', () => {
    for (const { response } of exchanges) if (response.socket === socket) response.emit('drain')
  })
  // Or nobody would notice that the client has gone.
  socket.resume()
}

function afterAnswers(connection: Connection, then: () => void): void {
  const owed = [...connection.exchanges].findLast(isOwed)
  if (owed === undefined) then()
  else owed.response.once('close', () => afterAnswers(connection, then))
}

/** A request that was never read in full, and is not answered yet, is the one that cannot be answered. */
function isOwed({ request, response }: Exchange): boolean {
  return !response.closed && (request.complete || response.headersSent)
}

/** Permanently: Node resumes reading whenever a response ends. */
function stopReading(socket: Socket): void {
  socket.pause()
  socket.on('resume', () => socket.pause())
}
