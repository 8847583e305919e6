import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { gunzipSync } from 'node:zlib'
import { closeAtOnce, listenOnLoopback } from './loopback-server.ts'
import { type CollectedSpan, decodeSpans } from './otlp-spans.ts'

export interface OtlpCollector extends AsyncDisposable {
  endpoint: string
  spans: CollectedSpan[]
  requests: () => number
}

/** Receives spans like a collector. `hangs` never responds, and `refuses` returns 400 for every request. */
export async function startOtlpCollector(behaviour: 'takes' | 'hangs' | 'refuses' = 'takes'): Promise<OtlpCollector> {
  const spans: CollectedSpan[] = []
  let requests = 0
  async function take(request: IncomingMessage, response: ServerResponse) {
    requests += 1
    const sent = await buffer(request)
    if (behaviour === 'hangs') return
    if (behaviour === 'refuses' || request.url !== '/v1/traces') return void response.writeHead(400).end()
    spans.push(...decodeSpans(request.headers['content-encoding'] === 'gzip' ? gunzipSync(sent) : sent))
    response.writeHead(200, { 'content-type': 'application/x-protobuf' }).end()
  }
  const server = createServer((request, response) => void take(request, response).catch(() => response.destroy()))
  const port = await listenOnLoopback(server)
  return {
    endpoint: `http://127.0.0.1:${port}`,
    spans,
    requests: () => requests,
    [Symbol.asyncDispose]: () => closeAtOnce(server),
  }
}
