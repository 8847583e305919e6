import { createServer, request as forward } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { closeAtOnce, listenOnLoopback } from '@tideport/testing/loopback-server'
import type { TestBucket } from '@tideport/testing/s3'

/** An HTTP proxy to a store that keeps every PUT, once it is there whole, until a test lets them pass. */
export async function startHoldingStore(settings: TestBucket['settings']) {
  const { hostname, port } = new URL(settings.endpoint)
  const arrived = Promise.withResolvers<void>()
  const released = Promise.withResolvers<void>()

  const server = createServer(async (request, response) => {
    const { method, url: path, headers } = request
    const body = await buffer(request)
    if (method === 'PUT') {
      arrived.resolve()
      await released.promise
    }
    const onward = forward({ hostname, port, method, path, headers }, (answer) => {
      answer.pipe(response.writeHead(answer.statusCode ?? 502, answer.headers))
    })
    onward.on('error', () => request.socket.resetAndDestroy())
    onward.end(body)
  })
  const ownPort = await listenOnLoopback(server)

  return {
    settings: { ...settings, endpoint: `http://127.0.0.1:${ownPort}` },
    /** A PUT is there. */
    arrived: arrived.promise,
    release: () => released.resolve(),
    [Symbol.asyncDispose]: () => closeAtOnce(server),
  }
}
