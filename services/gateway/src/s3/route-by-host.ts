import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import { isHostOf } from '@tideport/s3-door/routing/target'
import type { FastifyInstance } from 'fastify'

interface Mounted {
  hosts: readonly string[]
  app: FastifyInstance
}

/**
 * Passes requests to these hosts, and to hosts below them, to the S3 API. One parser reads the requests of a connection
 * for both APIs, so they cannot disagree about where a request ends. Call this before `refusePipelining`.
 */
export function routeByHost(main: FastifyInstance, { hosts, app }: Mounted): void {
  const { server } = main
  const listeners = server.listeners('request') as RequestListener[]
  server.removeAllListeners('request')
  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    if (isHostOf(request.headers.host, hosts)) app.routing(request, response)
    else for (const listen of listeners) listen.call(server, request, response)
  })
  // The stop of the server waits for the responses of both.
  main.addHook('onReady', (done) => {
    const own = main.underWay
    main.underWay = () => [...own(), ...app.underWay()]
    done()
  })
}
