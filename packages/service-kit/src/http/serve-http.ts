import type { FastifyInstance } from 'fastify'
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

/** Offers the service to its callers in the same process, listens on its port, or both. */
export async function serveHttp(app: FastifyInstance, context: RunContext<ServeConfig>): Promise<void> {
  const { config, direct, log } = context
  const { streamDrainSeconds } = config
  context.beforeStop(createDrain(app, config))
  if (streamDrainSeconds !== undefined) context.letFinish(answersUnderWay(app, { streamDrainSeconds }))
  if (direct.offer !== null) {
    await app.ready()
    direct.offer(app.server)
  }
  if (!direct.listens) return
  const address = await app.listen({ host: config.host, port: config.port })
  log.info({ address }, 'listening')
}
