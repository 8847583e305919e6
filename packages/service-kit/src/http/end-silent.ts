import type { FastifyInstance } from 'fastify'
import { openSockets } from './open-sockets.ts'

/**
 * Ends connections on which nothing was ever asked when `signal` aborts: Node's server would wait for them as for work.
 */
export function endSilentConnections({ server }: FastifyInstance, signal: AbortSignal): void {
  const sockets = openSockets(server)
  const end = () => {
    for (const socket of sockets) if (socket.bytesRead === 0) socket.destroy()
  }
  signal.addEventListener('abort', end, { once: true })
}
