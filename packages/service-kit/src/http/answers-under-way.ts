import type { Socket } from 'node:net'
import type { FastifyInstance, FastifyReply } from 'fastify'
import type { UnderWay } from '../process/limit-stop.ts'
import { openSockets } from './open-sockets.ts'

/** For a connection that idles to take what the kernel may still owe it, and to close. */
const IDLE_MS = 10_000

/** Until its reader has taken the last byte and closed: written bytes may be lost when the process exits. */
export function answersUnderWay(
  app: FastifyInstance,
  { streamDrainSeconds }: { streamDrainSeconds: number },
): UnderWay {
  const { server } = app
  const sockets = openSockets(server)
  /** Everything was written to them, and their end. */
  const ended = new Set<Socket>()
  const begun = () => app.underWay().filter(({ raw }) => raw.headersSent)
  const socketsOf = (replies: FastifyReply[]) => new Set(replies.map(({ request }) => request.raw.socket))

  /** Node calls this when the last answer of a connection was written, and so does the scope of a request. */
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
      // Node's own takes a connection for idle once the end of its answer was written, wherever the bytes are.
      server.closeIdleConnections = () => {
        const busy = socketsOf(app.underWay())
        for (const socket of sockets) {
          if (ended.has(socket) || busy.has(socket)) continue
          if (socket.bytesWritten === 0) socket.destroy()
          else socket.destroySoon()
          // Its responses ended before the stop; a client that has left permanently must not delay the stop.
          if (!atTheStop.has(socket)) socket.setTimeout(IDLE_MS, () => socket.destroy())
        }
      }
    },
    count: () => begun().length + ended.size,
    drainSeconds: streamDrainSeconds,
    cut: () => server.closeAllConnections(),
  }
}
