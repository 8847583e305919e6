import type { Socket } from 'node:net'
import type { FastifyInstance } from 'fastify'

/** Ends connections on which nothing was ever asked when `signal` aborts: Node's server would wait for them as for work. */
export function endSilentConnections({ server }: FastifyInstance, signal: AbortSignal): void {
  const sockets = new Set<Socket>()
  server.on('connection', (socket: Socket) => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
  })
  const end = () => {
    for (const socket of sockets) if (socket.bytesRead === 0) socket.destroy()
  }
  signal.addEventListener('abort', end, { once: true })
}
