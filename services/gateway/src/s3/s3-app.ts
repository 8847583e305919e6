import { createS3Door } from '@tideport/s3-door/door'
import { writeRefusal } from '@tideport/s3-door/error-answer'
import { S3Error, type S3ErrorCode } from '@tideport/s3-door/errors'
import { cutStalledAnswers } from '@tideport/service-kit/http/cut-stalled'
import { endSilentConnections } from '@tideport/service-kit/http/open-sockets'
import { refuseBadHeaders } from '@tideport/service-kit/http/refuse-bad-headers'
import { addRequestScope } from '@tideport/service-kit/http/request-scope'
import { serverOptions } from '@tideport/service-kit/http/server-options'
import { addByteRoutes } from '@tideport/service-kit/http/streamed-body'
import { createUnreadableHandler, refusePipelining, refuseTunnels } from '@tideport/service-kit/http/unreadable-request'
import type { AppError } from '@tideport/service-kit/process/app-error'
import type { Log } from '@tideport/service-kit/telemetry/logger'
import type { Metrics } from '@tideport/service-kit/telemetry/metrics'
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify'
import { answerExpectations } from '../limits/expectations.ts'
import { requestWaitBudget } from '../upstream/request-wait-budget.ts'
import { toRefusal } from './as-refusal.ts'
import { type ExchangeDeps, S3Exchange } from './exchange.ts'

export interface S3AppDeps extends Omit<ExchangeDeps, 'note'> {
  region: string
  /** Hosts of the S3 API. Their subdomains are buckets. */
  hosts: readonly string[]
  log: Log
  metrics: Metrics
  signal: AbortSignal
}

/** The S3 API, with the limits of the gateway. */
export function createS3App(deps: S3AppDeps): FastifyInstance {
  const { region, hosts, log, metrics, signal } = deps
  const app = Fastify({
    ...serverOptions,
    exposeHeadRoutes: false,
    // The door routes, because only it reads targets as S3 does.
    rewriteUrl: () => '/',
    clientErrorHandler: createUnreadableHandler(undefined, renderUnread),
    frameworkErrors: (error, request, reply) => {
      begin(request as FastifyRequest, reply as FastifyReply)
      sendError(error, request as FastifyRequest, reply as FastifyReply)
    },
  })
  refusePipelining(app, renderUnread)
  refuseTunnels(app, renderUnread)
  endSilentConnections(app, signal)
  const begin = addRequestScope(app, { log, metrics, signal, waitBudgetOf: requestWaitBudget, isBorder: true })
  cutStalledAnswers(app, { stallSeconds: deps.streamStallSeconds, metrics })
  app.decorateRequest('clientAddress', '')
  app.decorateRequest('credential', null)
  app.decorateRequest('admittedAt', 0)
  app.decorateRequest('countRefusal', null)
  app.decorateRequest('charge', null as unknown as FastifyRequest['charge'])
  app.addHook('onRequest', (_request, reply, done) => {
    const requestId = String(reply.getHeader('x-request-id') ?? '')
    reply.headers({ 'x-amz-request-id': requestId, 'x-amz-id-2': requestId })
    done()
  })
  answerExpectations(app)
  refuseBadHeaders(app)
  app.setErrorHandler(sendError)
  app.addHook('onRequest', (request, _reply, done) => done(request.is404 ? new S3Error('MethodNotAllowed') : undefined))
  const door = createS3Door({ region, domains: hosts })
  const note = countRequests(metrics)
  const handler = async (request: FastifyRequest, reply: FastifyReply) => {
    using exchange = new S3Exchange({ ...deps, note }, request, reply)
    await door.handle(exchange)
    if (!reply.sent && reply.raw.destroyed) reply.hijack()
    return reply
  }
  app.route({ method: ['GET', 'HEAD'], url: '/', handler })
  addByteRoutes(app, (scope) => {
    scope.route({ method: ['PUT', 'POST', 'DELETE', 'OPTIONS'], url: '/', config: { takesBytes: true }, handler })
  })
  return app
}

function sendError(error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const { status, headers, body } = writeRefusal(toRefusal(error), {
    method: request.method,
    resource: request.originalUrl.split('?', 1)[0] ?? '/',
    requestId: String(reply.getHeader('x-request-id') ?? ''),
  })
  if (status >= 500) request.failure = error
  return reply.code(status).headers(headers).send(body)
}

/** For requests that cannot be read, which have no ID. */
function renderUnread(error: AppError) {
  return writeRefusal(toRefusal(error), { method: '', resource: '/', requestId: '' })
}

/** Requests by operation and error code. Both are closed sets. */
function countRequests(metrics: Metrics): ExchangeDeps['note'] {
  const requests = metrics.counter({
    name: 'tideport_s3_requests_total',
    help: 'Requests of the S3 API by operation and error code; OK without an error',
    labelNames: ['operation', 'code'],
  })
  return (operation, error) => requests.labels(operation, (error?.code satisfies S3ErrorCode | undefined) ?? 'OK').inc()
}
