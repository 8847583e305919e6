import { requestHeaders } from '@tideport/gateway/src/forwarded-headers.ts'
import { relayAnswer } from '@tideport/gateway/src/relay-answer.ts'
import Fastify from 'fastify'
import { Pool } from 'undici'

/** The gateway's way of forwarding and nothing else: no log, no limits, no identity. */
const [port, upstream = ''] = process.argv.slice(2)
const pool = new Pool(upstream, { connections: 1024, pipelining: 1 })
const app = Fastify({ logger: false })
app.get('/*', (request, reply) => {
  const headers = requestHeaders(request.headers)
  return relayAnswer(pool, { method: 'GET', path: request.raw.url ?? '/', headers, reset: false }, reply)
})
await app.listen({ host: '127.0.0.1', port: Number(port) })
