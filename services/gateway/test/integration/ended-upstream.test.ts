import { once } from 'node:events'
import { get, type IncomingMessage } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { publicFileBytes as endpoint } from '@tideport/contracts/public/public-access'
import { createLogger } from '@tideport/service-kit/telemetry/logger'
import { createMetrics } from '@tideport/service-kit/telemetry/metrics'
import Fastify from 'fastify'
import { expect, it } from 'vitest'
import { forwardAnswer } from '../../src/forwarding/forward-answer.ts'
import { OpenRequest } from '../../src/identity/open-request.ts'
import { type Backend, createUpstream } from '../../src/upstream/upstream.ts'
import { startUpstream } from '../start-upstream.ts'

/** More than one chunk, but less than the buffers hold while a client reads nothing. */
const bytes = Buffer.alloc(200_000, 7)

it('delivers a response to a slow client when the service closes the connection right after it', async () => {
  await using service = await startUpstream()
  const served = Promise.withResolvers<Socket>()
  service.answerWith(({ socket }, response) => {
    response.writeHead(200, { 'content-length': bytes.length }).end(bytes)
    response.once('close', () => socket.end())
    served.resolve(socket)
  })
  const [log, metrics] = [createLogger({ service: 'gateway', level: 'silent' }), createMetrics('gateway')]
  await using upstream = createUpstream({ name: 'files', urls: [service.url], log, metrics })
  await using door = Fastify()
  const asked = Promise.withResolvers<Socket>()
  door.get('/', async (request, reply) => {
    // Simulates a client whose buffers are full.
    request.raw.socket.cork()
    asked.resolve(request.raw.socket)
    const outgoing = { method: 'GET', path: '/' } as const
    const open = new OpenRequest(null, { context: {}, admittedAt: 0 })
    const forwarding = { lane: 'bytes', request: outgoing, reply, open, endpoint } as const
    await forwardAnswer(upstream.inTurn()[0] as Backend, forwarding)
  })
  await door.listen({ port: 0 })
  const answer = once(get({ port: (door.server.address() as AddressInfo).port, agent: false }), 'response')
  const client = await asked.promise
  const sender = await served.promise
  const piecewise = setInterval(() => {
    client.uncork()
    client.cork()
  }, 20)
  await once(sender, 'close')
  clearInterval(piecewise)
  client.uncork()
  const [response] = (await answer) as [IncomingMessage]
  expect(Buffer.concat(await response.toArray()).equals(bytes)).toBe(true)
})
