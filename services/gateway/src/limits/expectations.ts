import type { IncomingMessage } from 'node:http'
import { AppError } from '@tideport/service-kit/process/app-error'
import type { FastifyInstance } from 'fastify'

const waiting = new WeakSet<IncomingMessage>()
const cannotBeMet = new WeakSet<IncomingMessage>()

/** Sends 100 Continue after admission; for uploads, the forwarder sends it. Other expectations get 417. */
export function answerExpectations(app: FastifyInstance): void {
  app.server.on('checkContinue', (request, response) => {
    waiting.add(request)
    app.server.emit('request', request, response)
  })
  app.server.on('checkExpectation', (request, response) => {
    waiting.add(request)
    cannotBeMet.add(request)
    app.server.emit('request', request, response)
  })
  app.addHook('onRequest', ({ raw }, _reply, done) => done(cannotBeMet.has(raw) ? expectationFailed() : undefined))
  app.addHook('preParsing', (request, reply, payload, done) => {
    if (!request.routeOptions.config.takesBytes && isWaiting(request.raw)) reply.raw.writeContinue()
    done(null, payload)
  })
  app.addHook('onSend', async ({ raw }, reply) => {
    // The client may send the body anyway, so the connection cannot be reused.
    if (isWaiting(raw) && !raw.complete) reply.header('connection', 'close')
  })
}

export function isWaiting(request: IncomingMessage): boolean {
  return waiting.has(request)
}

const expectationFailed = () =>
  new AppError('expectation_failed', 'Unsupported Expect header. Only 100-continue is supported.')
