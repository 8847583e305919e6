import type { FastifyInstance } from 'fastify'
import { aborted } from '../process/aborted.ts'
import type { RunContext } from '../process/service.ts'
import { answersUnderWay } from './answers-under-way.ts'
import { createDrain } from './drain-connections.ts'

interface ServeConfig {
  host: string
  port: number
  connectionDrainSeconds: number
  shutdownSeconds: number
  /** Undefined if the responses are short. */
  streamDrainSeconds?: number
}

/**
 * Offers the service to its callers in the same process, listens on its port, or both. It listens when the services of
 * its process that it calls take requests, also while their dependencies are down.
 */
export async function serveHttp(app: FastifyInstance, context: RunContext<ServeConfig>): Promise<void> {
  const { config, direct, log, signal } = context
  const { streamDrainSeconds } = config
  context.beforeStop(createDrain(app, config))
  if (streamDrainSeconds !== undefined) context.letFinish(answersUnderWay(app, { streamDrainSeconds }))
  if (direct.offer !== null) {
    await app.ready()
    direct.offer(app.server)
  }
  if (!direct.listens) return
  await Promise.race([direct.callable, aborted(signal)])
  if (signal.aborted) return
  const address = await app.listen({ host: config.host, port: config.port })
  log.info({ address }, 'listening')
}
