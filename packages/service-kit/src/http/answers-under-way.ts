import type { Socket } from 'node:net'
import type { FastifyInstance, FastifyReply } from 'fastify'
import type { UnderWay } from '../process/limit-stop.ts'
import { openSockets } from './open-sockets.ts'

/** How long an idle connection has to receive the bytes that the kernel still buffers, and to close. */
const IDLE_MS = 10_000

/**
 * A response counts until its client has read the last byte and closed the connection: written bytes may be lost when
 * the process exits.
 */
export function answersUnderWay(
  app: FastifyInstance,
  { streamDrainSeconds }: { streamDrainSeconds: number },
): UnderWay {
  const { server } = app
  const sockets = openSockets(server)
  /** Connections on which every response and the FIN have been written. */
  const ended = new Set<Socket>()
  const begun = () => app.underWay().filter(({ raw }) => raw.headersSent)
  const socketsOf = (replies: FastifyReply[]) => new Set(replies.map(({ request }) => request.raw.socket))

  /** Node and `request-scope.ts` call `destroySoon` after the last response on a connection has been written. */
  function linger(socket: Socket): void {
    socket.destroySoon = () => {
      if (socket.destroyed || ended.has(socket)) return
      ended.add(socket)
      socket.once('close', () => ended.delete(socket)).end()
    }
  }

  return {
    begin() {
      for (const socket of sockets) linger(socket)
      server.on('connection', linger)
      const atTheStop = socketsOf(begun())
      // Node's function treats a connection as idle once its response is written, even if the bytes are still buffered.
      server.closeIdleConnections = () => {
        const busy = socketsOf(app.underWay())
        for (const socket of sockets) {
          if (ended.has(socket) || busy.has(socket)) continue
          if (socket.bytesWritten === 0) socket.destroy()
          else socket.destroySoon()
          // It had no response in progress at the stop. A client that has disappeared must not delay the stop.
          if (!atTheStop.has(socket)) socket.setTimeout(IDLE_MS, () => socket.destroy())
        }
      }
    },
    count: () => begun().length + ended.size,
    drainSeconds: streamDrainSeconds,
    cut: () => server.closeAllConnections(),
  }
}
