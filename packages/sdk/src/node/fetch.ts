import { once } from 'node:events'
import type { ClientRequest, IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import { Readable } from 'node:stream'
import type { Fetch } from '../client/platform-fetch.ts'
import { CONNECT_MS, connectTimeout, openRequest } from './agents.ts'

const REDIRECTS_MAX = 20
const PIECE_BYTES = 64 * 1024
/** Statuses whose responses have no body. */
const BARE = new Set([204, 205, 304])

/**
 * The part of `fetch` that the SDK uses, on `node:http`. Differs from Node's `fetch`: accepts an unrequested `100
 * Continue`, uses the proxies of the environment, blocks no ports, and reports upload progress. Follows redirects only
 * for GET and HEAD, and sends no credentials to another origin.
 */
export const fetch: Fetch = async (text, init, onSent) => {
  const { signal, method = 'GET', redirect = 'follow' } = init
  let url = new URL(text)
  const headers = new Headers(init.headers)
  const type = typeOf(init.body)
  if (type && !headers.has('content-type')) headers.set('content-type', type)
  if (!headers.has('accept')) headers.set('accept', '*/*')
  for (let redirects = 0; ; redirects++) {
    const { answer, request } = await exchange(url, { method, headers, body: init.body ?? null, signal, onSent })
    const location = [301, 302, 303, 307, 308].includes(answer.statusCode ?? 0) ? answer.headers.location : undefined
    if (redirect !== 'follow' || location === undefined || !/^(GET|HEAD)$/.test(method))
      return toResponse(answer, request)
    request.destroy()
    if (redirects === REDIRECTS_MAX) throw failed(new Error('Too many redirects'))
    const next = new URL(location, url)
    if (next.origin !== url.origin) for (const name of ['authorization', 'cookie']) headers.delete(name)
    url = next
  }
}

interface Exchange {
  method: string
  headers: Headers
  body: RequestInit['body']
  signal: AbortSignal | null | undefined
  onSent: ((bytes: number) => void) | undefined
}

async function exchange(url: URL, { method, headers, body, signal, onSent }: Exchange) {
  signal?.throwIfAborted()
  const sized = await sizedBody(body)
  try {
    const length = sized === null ? undefined : String(sized.size)
    const plain = { ...Object.fromEntries(headers), ...(length !== undefined && { 'content-length': length }) }
    const request = await openRequest(url, { method, headers: plain, ...(signal && { signal }) })
    const over = new AbortController()
    const response = once(request, 'response', { signal: over.signal }) as Promise<[IncomingMessage]>
    response.catch(() => {})
    // An error after the start of the response is an error of the body.
    request.on('error', () => {}).once('close', () => over.abort())
    limitConnecting(request)
    if (sized === null) request.end()
    else await send(request, sized.pieces, onSent)
    const [answer] = await response
    // The rest of a rejected body is not sent, so the connection cannot be reused.
    if (!request.writableEnded) answer.once('end', () => request.destroy())
    return { answer, request }
  } catch (error) {
    signal?.throwIfAborted()
    throw failed(error)
  }
}

function failed(cause: unknown): TypeError {
  return new TypeError('fetch failed', { cause })
}

function typeOf(body: RequestInit['body']): string | null {
  if (body instanceof Blob) return body.type
  if (body instanceof URLSearchParams) return 'application/x-www-form-urlencoded;charset=UTF-8'
  return typeof body === 'string' ? 'text/plain;charset=UTF-8' : null
}

async function sizedBody(body: RequestInit['body']) {
  if (body == null) return null
  const isKept = body instanceof Blob || body instanceof Uint8Array
  const kept = isKept ? body : new Uint8Array(await new Response(body).arrayBuffer())
  return { size: kept instanceof Blob ? kept.size : kept.length, pieces: piecesOf(kept) }
}

async function* piecesOf(body: Blob | Uint8Array): AsyncGenerator<Uint8Array> {
  if (body instanceof Blob) yield* body.stream() as unknown as AsyncIterable<Uint8Array>
  else for (let at = 0; at < body.length; at += PIECE_BYTES) yield body.subarray(at, at + PIECE_BYTES)
}

async function send(request: ClientRequest, pieces: AsyncIterable<Uint8Array>, onSent?: (bytes: number) => void) {
  const over = new AbortController()
  const end = () => over.abort()
  for (const event of ['response', 'close']) request.once(event, end)
  let sent = 0
  for await (const piece of pieces) {
    if (over.signal.aborted) return
    const isRoomy = request.write(piece, (error) => {
      if (error) return
      sent += piece.length
      onSent?.(sent)
    })
    if (!isRoomy) await once(request, 'drain', { signal: over.signal }).catch(() => {})
  }
  if (!over.signal.aborted) request.end()
}

function limitConnecting(request: ClientRequest): void {
  const timer = setTimeout(() => request.destroy(connectTimeout()), CONNECT_MS)
  const end = () => clearTimeout(timer)
  request.once('close', end).once('socket', (socket: Socket) => {
    if (socket.connecting) socket.once('connect', end)
    else end()
  })
}

function toResponse(answer: IncomingMessage, request: ClientRequest): Response {
  const { statusCode: status = 0, rawHeaders } = answer
  const headers = new Headers()
  for (let at = 0; at < rawHeaders.length; at += 2) headers.append(rawHeaders[at] ?? '', rawHeaders[at + 1] ?? '')
  if (BARE.has(status) || request.method === 'HEAD') {
    answer.resume()
    return new Response(null, { status, headers })
  }
  return new Response(Readable.toWeb(answer) as unknown as ReadableStream, { status, headers })
}
