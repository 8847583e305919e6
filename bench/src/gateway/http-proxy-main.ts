import httpProxy from '@fastify/http-proxy'
import Fastify from 'fastify'

/** The stock plugin and nothing else: no log, no limits, no identity. */
const [port, upstream = ''] = process.argv.slice(2)
const app = Fastify({ logger: false })
await app.register(httpProxy, { upstream, undici: { connections: 1024, pipelining: 1 } })
await app.listen({ host: '127.0.0.1', port: Number(port) })
