import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { closeAtOnce, listenOnLoopback } from './loopback-server.ts'
import { type WaitOptions, waitFor } from './wait-for.ts'

export interface ReceivedRequest {
  method: string
  path: string
  headers: IncomingHttpHeaders
  /** The exact bytes of the body, which a signature covers. */
  body: Buffer
}

/** A response with status, headers, and body; no response until disposal; or a connection reset. */
export type Answer = { status: number; headers?: Record<string, string>; body?: string | Buffer } | 'hang' | 'reset'

/** A fixed response, a list of responses (then always 200), or a function of the request and its index from 0. */
export type Respond = Answer | Answer[] | ((request: ReceivedRequest, index: number) => Answer | Promise<Answer>)

/** A webhook receiver on a loopback port. Records each request and responds as configured, with 200 by default. */
export async function startReceiver(options: { respond?: Respond } = {}) {
  const requests: ReceivedRequest[] = []
  let answerTo = answering(options.respond ?? { status: 200 })
  const server = createServer(async (incoming, response) => {
    try {
      const request = await record(incoming)
      const index = requests.push(request) - 1
      send(response, await answerTo(request, index))
    } catch {
      response.destroy()
    }
  })
  const port = await listenOnLoopback(server)

  const dispose = () => closeAtOnce(server)

  return {
    url: `http://127.0.0.1:${port}/`,
    port,
    requests: requests as readonly ReceivedRequest[],
    /** Replaces the responses. A list starts from its beginning. */
    respondWith(respond: Respond) {
      answerTo = answering(respond)
    },
    startOver() {
      requests.length = 0
      answerTo = answering({ status: 200 })
    },
    /** Waits, as `waitFor` does, for the first recorded request for which `predicate` returns true. */
    waitFor(predicate: (request: ReceivedRequest) => boolean, wait: WaitOptions = {}): Promise<ReceivedRequest> {
      return waitFor(() => requests.find(predicate), { what: 'a matching request at the receiver', ...wait })
    },
    dispose,
    [Symbol.asyncDispose]: dispose,
  }
}

export type Receiver = Awaited<ReturnType<typeof startReceiver>>

async function record(incoming: IncomingMessage): Promise<ReceivedRequest> {
  const body = await buffer(incoming)
  return { method: incoming.method ?? '', path: incoming.url ?? '', headers: incoming.headers, body }
}

function answering(respond: Respond) {
  if (typeof respond === 'function') return respond
  if (!Array.isArray(respond)) return () => respond
  const script = [...respond]
  return () => script.shift() ?? { status: 200 }
}

function send(response: ServerResponse, answer: Answer) {
  if (answer === 'hang') return
  if (answer === 'reset') response.socket?.resetAndDestroy()
  else response.writeHead(answer.status, answer.headers).end(answer.body ?? '')
}
