import { createServer, type IncomingHttpHeaders, type RequestListener } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { closeAtOnce, listenOnLoopback } from '@tideport/testing/loopback-server'
import { expect } from 'vitest'

export interface Seen {
  method: string
  url: string
  headers: IncomingHttpHeaders
  body: string
}

export interface Api extends AsyncDisposable {
  baseUrl: string
  /** The requests that came, in their order. */
  seen: Seen[]
}

/** A server on this machine that notes what it is asked and answers as it is told. */
export async function startApi(answer: RequestListener): Promise<Api> {
  const seen: Seen[] = []
  const server = createServer(async (request, response) => {
    const body = (await buffer(request)).toString()
    seen.push({ method: String(request.method), url: String(request.url), headers: request.headers, body })
    answer(request, response)
  })
  const port = await listenOnLoopback(server)
  return { baseUrl: `http://127.0.0.1:${port}`, seen, [Symbol.asyncDispose]: () => closeAtOnce(server) }
}

/** Answers JSON. */
export function json(status: number, body: unknown, headers: Record<string, string> = {}): RequestListener {
  return (_, response) => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body))
  }
}

/** What a call rejects with. */
export function failureOf(call: Promise<unknown>): Promise<unknown> {
  return call.then(
    () => expect.unreachable(),
    (error: unknown) => error,
  )
}
