import type { FastifyInstance } from 'fastify'
import { openSockets } from './open-sockets.ts'

/** Closes connections without a request when `signal` aborts. Node's server would wait for them. */
export function endSilentConnections({ server }: FastifyInstance, signal: AbortSignal): void {
  const sockets = openSockets(server)
  const end = () => {
    for (const socket of sockets) if (socket.bytesRead === 0) socket.destroy()
  }
  signal.addEventListener('abort', end, { once: true })
}
