import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import type { FastifyInstance } from 'fastify'
import { AppError } from '../process/app-error.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The body is bytes of any type, which the handler reads as they come. */
    takesBytes?: boolean
  }
  interface FastifyRequest {
    bodyType: string | undefined
  }
}

/** For a client that is still sending to read an answer that did not wait for that. */
const LINGER_MS = 2000

const takingBytes = new WeakSet<Socket>()

/**
 * A scope for routes with `takesBytes`. Their bodies are parsed by nobody, and may take longer than a request may
 * otherwise; an answer that does not wait for the whole body is the last one of its connection.
 */
export function addByteRoutes(app: FastifyInstance, addRoutes: (scope: FastifyInstance) => void): void {
  app.decorateRequest('bodyType', undefined)
  app.register(async (scope) => {
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser('*', (_request, _payload, done) => done(null, undefined))
    scope.addHook('onRequest', (request, _reply, done) => {
      const { headers, socket } = request.raw
      // Fastify answers by itself to types that it cannot read.
      request.bodyType = headers['content-type']
      delete headers['content-type']
      takingBytes.add(socket)
      request.raw.once('close', () => takingBytes.delete(socket))
      done()
    })
    scope.addHook('preHandler', ({ bodyType, raw: { headers } }, _reply, done) => {
      if (bodyType !== undefined) headers['content-type'] = bodyType
      done()
    })
    scope.addHook('onSend', async ({ raw }, reply) => {
      if (endEarly(raw)) reply.header('connection', 'close')
    })
    addRoutes(scope)
  })
}

/** Whether what comes on this connection may take as long as its sender, as far as something comes. */
export function takesItsTime(socket: Socket): boolean {
  return takingBytes.has(socket)
}

/**
 * To be asked before an answer begins: whether its request's body is still coming. Then the connection ends behind the
 * answer, but not at once, or the reset for what still comes would take the answer with it.
 */
export function endEarly(request: IncomingMessage): boolean {
  if (request.complete) return false
  const { socket } = request
  socket.destroySoon = () => {
    request.resume()
    socket.end()
    const timer = setTimeout(() => socket.destroy(), LINGER_MS)
    socket.once('close', () => clearTimeout(timer))
  }
  return true
}

/**
 * The body of a request as it comes. Ending it early leaves the request as it is. Throws 408 when nothing comes for
 * `stallMs`, not counting what its reader takes, an error when the client goes amid it, and the reason of `signal` when
 * that aborts while the client is waited for.
 */
export async function* bytesOf(
  request: IncomingMessage,
  stallMs: number,
  signal?: AbortSignal,
): AsyncGenerator<Buffer> {
  const chunks = request.iterator({ destroyOnReturn: false })
  let isWaiting = false
  const { promise: stalled, reject } = Promise.withResolvers<never>()
  stalled.catch(() => undefined)
  const timer = setTimeout(() => {
    if (isWaiting) reject(new AppError('request_timeout', 'The request stopped before its body was complete'))
  }, stallMs)
  const onAbort = () => reject(signal?.reason)
  signal?.addEventListener('abort', onAbort, { once: true })
  if (signal?.aborted) onAbort()
  try {
    for (;;) {
      isWaiting = true
      timer.refresh()
      const next = await Promise.race([chunks.next(), stalled])
      isWaiting = false
      if (next.done) break
      yield next.value as Buffer
    }
    if (!request.complete) throw new Error('The client has gone')
  } finally {
    clearTimeout(timer)
    signal?.removeEventListener('abort', onAbort)
  }
}
