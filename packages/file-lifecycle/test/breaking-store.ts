import { createServer, request as forward } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { TestBucket } from '@tideport/testing/s3'

/** `before`: the store never hears of it. `after`: it does its work, and the answer is lost. */
type Break = 'before' | 'after'

/** An HTTP proxy to a store that breaks the connections of the next completions as a test lays down. */
export async function startBreakingStore(settings: TestBucket['settings']) {
  const { hostname, port } = new URL(settings.endpoint)
  const breaks: Break[] = []
  let completions = 0

  const server = createServer((request, response) => {
    const { method, url: path = '', headers } = request
    const isCompletion = method === 'POST' && path.includes('uploadId=')
    if (isCompletion) completions += 1
    const now = isCompletion ? breaks.shift() : undefined
    if (now === 'before') return void request.socket.resetAndDestroy()
    const onward = forward({ hostname, port, method, path, headers }, (answer) => {
      if (now === 'after') answer.resume().on('end', () => request.socket.resetAndDestroy())
      else answer.pipe(response.writeHead(answer.statusCode ?? 502, answer.headers))
    })
    onward.on('error', () => request.socket.resetAndDestroy())
    request.pipe(onward)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))

  return {
    settings: { ...settings, endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}` },
    /** How many completions were sent to it since it was mended last. */
    completions: () => completions,
    breakNext: (...next: Break[]) => void breaks.push(...next),
    /** From now on it breaks nothing, and counts anew. */
    mend() {
      breaks.splice(0)
      completions = 0
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
