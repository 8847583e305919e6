import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import type { FastifyInstance } from 'fastify'
import { AppError } from '../process/app-error.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    takesBytes?: boolean
  }
  interface FastifyRequest {
    bodyType: string | undefined
  }
}

/** How long a client that is still sending its body has to read an early response. */
const LINGER_MS = 2000

const takingBytes = new WeakSet<Socket>()

/** Bodies are not parsed and may take long. A response before the last byte of a body closes the connection. */
export function addByteRoutes(app: FastifyInstance, addRoutes: (scope: FastifyInstance) => void): void {
  app.decorateRequest('bodyType', undefined)
  app.register(async (scope) => {
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser('*', (_request, _payload, done) => done(null, undefined))
    scope.addHook('onRequest', (request, _reply, done) => {
      const { headers, socket } = request.raw
      // Hidden from Fastify, which automatically rejects content types that it cannot read.
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

/** Whether the request on this connection may take any time while its bytes continue to arrive. */
export function takesItsTime(socket: Socket): boolean {
  return takingBytes.has(socket)
}

/** Whether the body is still arriving. The connection then lingers, because a reset would discard the response. */
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
 * Stopping early does not destroy the request. Throws 408 after `stallMs` without bytes. Also throws when the client
 * closes the connection, or `signal` aborts (its reason).
 */
export async function* bytesOf(
  request: IncomingMessage,
  stallMs: number,
  signal?: AbortSignal,
): AsyncGenerator<Buffer> {
  const chunks = request.iterator({ destroyOnReturn: false })
  const state: { isWaiting: boolean; failure?: { reason: unknown }; reject(reason: unknown): void } = {
    isWaiting: false,
    reject() {},
  }
  const fail = (reason: unknown) => {
    state.failure ??= { reason }
    state.reject(reason)
  }
  const timer = setTimeout(() => {
    if (state.isWaiting) fail(new AppError('request_timeout', 'The request stopped before its body was complete'))
  }, stallMs)
  const onAbort = () => fail(signal?.reason)
  signal?.addEventListener('abort', onAbort, { once: true })
  if (signal?.aborted) onAbort()
  try {
    for (;;) {
      if (state.failure) throw state.failure.reason
      state.isWaiting = true
      timer.refresh()
      // `Promise.race` with one promise for the complete body would keep all chunks in memory until its end.
      const next = await new Promise<IteratorResult<Buffer>>((resolve, reject) => {
        state.reject = reject
        chunks.next().then(resolve, reject)
      })
      state.isWaiting = false
      if (next.done) break
      yield next.value
    }
    if (!request.complete) throw new Error('The client closed the connection')
  } finally {
    clearTimeout(timer)
    signal?.removeEventListener('abort', onAbort)
  }
}
