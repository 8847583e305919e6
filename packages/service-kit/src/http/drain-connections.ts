import { setTimeout as delay } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'
import { openSockets } from './open-sockets.ts'

const LOOK_MS = 50

interface DrainTimes {
  connectionDrainSeconds: number
  /** The drain takes at most half of it. */
  shutdownSeconds: number
}

/** Continues to serve for a while with `connection: close`, so no client sends into a closing connection. */
export function createDrain(app: FastifyInstance, times: DrainTimes): () => Promise<void> {
  const { connectionDrainSeconds, shutdownSeconds } = times
  const sockets = openSockets(app.server)
  let isDraining = false
  app.addHook('onRequest', (_request, reply, done) => {
    if (isDraining) reply.header('connection', 'close')
    done()
  })
  return async () => {
    isDraining = true
    const deadline = performance.now() + Math.min(connectionDrainSeconds, shutdownSeconds / 2) * 1000
    while (sockets.size > 0 && performance.now() < deadline) await delay(LOOK_MS)
  }
}
