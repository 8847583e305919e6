import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import { request as requestTls } from 'node:https'
import { pipeline } from 'node:stream/promises'
import { closeAtOnce, listenOnLoopback } from '@tideport/testing/loopback-server'

/** An aggregator in front of another one, with other bytes for some blobs. */
export interface AggregatorFront extends AsyncDisposable {
  url: string
  /** Replaces the blob's bytes from now on; null: the blob does not exist. */
  replace(blobId: string, bytes: Buffer | null): void
  /** Returns the original bytes again. */
  restore(blobId: string): void
}

export async function openAggregatorFront(aggregatorUrl: string): Promise<AggregatorFront> {
  const replaced = new Map<string, Buffer | null>()
  const server = createServer((asked, answering) => {
    const blobId = /^\/v1\/blobs\/([A-Za-z0-9_-]+)(\?|$)/.exec(asked.url ?? '')?.[1] ?? ''
    const bytes = replaced.get(blobId)
    if (bytes !== undefined) answerWith(bytes, asked, answering)
    else void pass(aggregatorUrl, asked, answering).catch(() => answering.destroy())
  })
  const port = await listenOnLoopback(server)
  return {
    url: `http://127.0.0.1:${port}`,
    replace: (blobId, bytes) => void replaced.set(blobId, bytes),
    restore: (blobId) => void replaced.delete(blobId),
    [Symbol.asyncDispose]: () => closeAtOnce(server),
  }
}

async function pass(aggregatorUrl: string, asked: IncomingMessage, answering: ServerResponse): Promise<void> {
  const target = new URL(`.${asked.url}`, aggregatorUrl.endsWith('/') ? aggregatorUrl : `${aggregatorUrl}/`)
  const { host: _ours, connection: _hop, ...headers } = asked.headers
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>()
  const begin = target.protocol === 'https:' ? requestTls : request
  const sent = begin(target, { method: asked.method, headers }, resolve).on('error', reject)
  answering.on('close', () => sent.destroy())
  sent.end()
  const answer = await promise
  const { connection: _theirs, 'keep-alive': _alive, ...said } = answer.headers
  answering.writeHead(answer.statusCode ?? 502, said)
  await pipeline(answer, answering)
}

/** Rejects a range that exceeds the blob, like Walrus. */
function answerWith(bytes: Buffer | null, { headers, method }: IncomingMessage, answering: ServerResponse): void {
  const range = /^bytes=(\d+)-(\d+)$/.exec(headers.range ?? '')
  const [start, end] = range ? [Number(range[1]), Number(range[2]) + 1] : [0, bytes?.length ?? 0]
  if (bytes === null) refuse(answering, 404, 'BLOB_NOT_FOUND')
  else if (end > bytes.length) refuse(answering, 416, 'INVALID_BYTE_RANGE')
  else {
    const ofRange = range && { 'content-range': `bytes ${start}-${end - 1}/${bytes.length}` }
    answering.writeHead(range ? 206 : 200, { 'content-length': end - start, ...ofRange })
    answering.end(method === 'HEAD' ? undefined : bytes.subarray(start, end))
  }
}

function refuse(answering: ServerResponse, code: number, reason: string): void {
  const error = { code, message: 'so the test has it', details: [{ '@type': 'ErrorInfo', reason }] }
  answering.writeHead(code, { 'content-type': 'application/json' }).end(JSON.stringify({ error }))
}
