import { once } from 'node:events'
import { Agent, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import Fastify from 'fastify'
import { expect, it } from 'vitest'
import { createDrain } from '../../src/http/drain-connections.ts'

/** Repeats requests over one kept-alive connection until `connection: close`. Returns the number of responses. */
async function askUntilTold(port: number): Promise<number> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  for (let answered = 1; ; answered++) {
    const asking = request({ port, host: '127.0.0.1', agent }).end()
    const [response] = await once(asking, 'response')
    response.resume()
    await once(response, 'end')
    if (response.headers.connection === 'close') return answered
  }
}

it('a stopping server loses no request on a kept-alive connection, and sends `connection: close` to each client', async () => {
  const app = Fastify({ forceCloseConnections: 'idle' })
  app.get('/', async () => 'served')
  const drain = createDrain(app, { connectionDrainSeconds: 60, shutdownSeconds: 120 })
  await app.listen({ host: '127.0.0.1', port: 0 })
  const { port } = app.server.address() as AddressInfo

  const clients = Array.from({ length: 20 }, () => askUntilTold(port))
  await once(app.server, 'request')
  await drain()
  await app.close()
  expect((await Promise.all(clients)).every((answered) => answered > 0)).toBe(true)
})

it('a stopping server does not wait for an idle client beyond the drain time', async () => {
  const app = Fastify({ forceCloseConnections: 'idle' })
  const drain = createDrain(app, { connectionDrainSeconds: 0, shutdownSeconds: 1 })
  await app.listen({ host: '127.0.0.1', port: 0 })
  const agent = new Agent({ keepAlive: true })
  const asking = request({ port: (app.server.address() as AddressInfo).port, host: '127.0.0.1', agent }).end()
  const [response] = await once(asking, 'response')
  response.resume()
  await once(response, 'end')
  await drain()
  await app.close()
})
