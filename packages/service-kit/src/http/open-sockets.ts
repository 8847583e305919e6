import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import type { FastifyInstance } from 'fastify'

const known = new WeakMap<Server, Set<Socket>>()

export function openSockets(server: Server): ReadonlySet<Socket> {
  const sockets = known.get(server) ?? new Set<Socket>()
  if (known.has(server)) return sockets
  known.set(server, sockets)
  server.on('connection', (socket: Socket) => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
  })
  return sockets
}

/** Closes connections without a request when `signal` aborts. Node's server would wait for them. */
export function endSilentConnections({ server }: FastifyInstance, signal: AbortSignal): void {
  const sockets = openSockets(server)
  const end = () => {
    for (const socket of sockets) if (socket.bytesRead === 0) socket.destroy()
  }
  signal.addEventListener('abort', end, { once: true })
}
