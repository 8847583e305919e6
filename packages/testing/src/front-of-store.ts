import { createServer, request as forward, type RequestListener } from 'node:http'
import { closeAtOnce, listenOnLoopback } from './loopback-server.ts'
import type { TestBucket } from './s3.ts'

/** Responds instead of the store, or returns false to forward the request to the store. */
type Answer = (...exchange: Parameters<RequestListener>) => boolean

export async function startFrontOfStore(settings: TestBucket['settings']) {
  const { hostname, port } = new URL(settings.endpoint)
  let answer: Answer = () => false
  const server = createServer((request, response) => {
    if (answer(request, response)) return void request.resume()
    const { method, url: path, headers } = request
    const onward = forward({ hostname, port, method, path, headers }, (answered) => {
      answered.pipe(response.writeHead(answered.statusCode ?? 502, answered.headers))
    })
    onward.on('error', () => request.socket.resetAndDestroy())
    request.pipe(onward)
  })
  const ownPort = await listenOnLoopback(server)
  return {
    settings: { ...settings, endpoint: `http://127.0.0.1:${ownPort}` },
    answerBy: (next: Answer) => {
      answer = next
    },
    pass: () => {
      answer = () => false
    },
    [Symbol.asyncDispose]: () => closeAtOnce(server),
  }
}
