import type { Socket } from 'node:net'
import type { FastifyInstance } from 'fastify'
import type { Metrics } from '../telemetry/metrics.ts'

const CHECKS_PER_LIMIT = 10

interface Progress {
  takenBytes: number
  /** Time of the last check at which the client had read bytes, or had no bytes to read. */
  lastAt: number
}

/** Destroys the connection of a response whose client reads no bytes for `stallSeconds`, up to a tenth longer. */
export function cutStalledAnswers(
  app: FastifyInstance,
  { stallSeconds, metrics }: { stallSeconds: number; metrics: Metrics },
): void {
  const stallMs = stallSeconds * 1000
  const connections = new Map<Socket, Progress>()
  const cut = counterOf(metrics)

  app.addHook('onRequest', ({ raw: { socket } }, _reply, done) => {
    if (!connections.has(socket)) {
      connections.set(socket, { takenBytes: 0, lastAt: performance.now() })
      socket.once('close', () => connections.delete(socket))
    }
    done()
  })

  function check(): void {
    const now = performance.now()
    for (const [socket, progress] of connections) {
      const takenBytes = socket.bytesWritten - socket.writableLength
      if (socket.writableLength === 0 || takenBytes !== progress.takenBytes) {
        Object.assign(progress, { takenBytes, lastAt: now })
      } else if (now - progress.lastAt >= stallMs) {
        cut.inc()
        socket.destroy()
      }
    }
  }

  const timer = setInterval(check, stallMs / CHECKS_PER_LIMIT).unref()
  // The checks continue while the server closes, because the remaining responses may stall too.
  app.server.once('close', () => clearInterval(timer))
}

const counters = new WeakMap<Metrics, ReturnType<Metrics['counter']>>()

/** A service may have several servers. */
function counterOf(metrics: Metrics): ReturnType<Metrics['counter']> {
  const known = counters.get(metrics)
  if (known !== undefined) return known
  const counter = metrics.counter({
    name: 'tideport_stalled_answers_total',
    help: 'Responses cut off because the client read nothing for too long',
  })
  counters.set(metrics, counter)
  return counter
}
