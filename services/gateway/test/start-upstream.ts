import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { alivePath } from '@tideport/contracts/internal/alive'
import { closeAtOnce, listenOnLoopback } from '@tideport/testing/loopback-server'

interface SeenRequest {
  method: string
  url: string
  headers: IncomingMessage['headers']
  body: string
}

type Answer = (request: IncomingMessage, response: ServerResponse) => void

/**
 * Stands in for a service whose responses a test must break on purpose. Records every request that it has read
 * completely. Responds to probes.
 */
export async function startUpstream() {
  const seen: SeenRequest[] = []
  let answer: Answer = (_request, response) => response.end('{}')
  let isHanging = false
  let probes = 0
  const server = createServer(async (request, response) => {
    let body = ''
    try {
      for await (const chunk of request) body += chunk
    } catch {
      // The client has disconnected.
      return
    }
    if (request.url === alivePath) {
      if (!isHanging) response.writeHead(204).end(() => (probes += 1))
      return
    }
    seen.push({ method: request.method ?? '', url: request.url ?? '', headers: request.headers, body })
    if (!isHanging) answer(request, response)
  })
  const port = await listenOnLoopback(server)
  const stop = () => closeAtOnce(server)
  return {
    url: `http://127.0.0.1:${port}`,
    seen,
    /** Number of probes that got a response. Probes are not recorded. */
    probes: () => probes,
    /** From now on, no request gets a response. */
    hang() {
      isHanging = true
    },
    wake() {
      isHanging = false
    },
    answerWith(next: Answer) {
      answer = next
    },
    stop,
    [Symbol.asyncDispose]: stop,
  }
}
