import cors from '@fastify/cors'
import { notFound } from '@tideport/service-kit/app-error'
import { cutStalledAnswers } from '@tideport/service-kit/cut-stalled'
import { endSilentConnections } from '@tideport/service-kit/end-silent'
import { toErrorReply } from '@tideport/service-kit/error-reply'
import type { Health } from '@tideport/service-kit/health'
import type { Log } from '@tideport/service-kit/logger'
import type { Metrics } from '@tideport/service-kit/metrics'
import { addRequestScope } from '@tideport/service-kit/request-scope'
import { serverOptions } from '@tideport/service-kit/server-options'
import { createUnreadableHandler, refusePipelining } from '@tideport/service-kit/unreadable-request'
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify'
import type { Admission } from './admission.ts'
import { addApiDescription } from './api-description.ts'
import { addDocsPage } from './docs-page.ts'
import { explainAtTheDoor } from './explain-unreadable.ts'
import { acceptJsonBodies } from './json-body.ts'
import type { AssertKnownHost } from './known-hosts.ts'
import type { Forward } from './proxy.ts'
import { requestPatience } from './request-patience.ts'
import { addRoutes } from './routes.ts'

export interface AppDeps {
  admission: Admission
  forward: Forward
  /** Null outside development mode. */
  assertKnownHost: AssertKnownHost | null
  /** Browser origins; `*` is any. */
  corsOrigins: readonly string[]
  publicUrl: string | undefined
  /** After how many seconds an answer is cut whose reader takes none of it. */
  streamStallSeconds: number
  health: Health
  log: Log
  metrics: Metrics
  signal: AbortSignal
}

/** The public door: admission, forwarding, and nothing that belongs to a service. */
export function createApp(deps: AppDeps): FastifyInstance {
  const { admission, forward, assertKnownHost, corsOrigins, publicUrl, health, ...scope } = deps
  const app = Fastify({
    ...serverOptions,
    exposeHeadRoutes: false,
    clientErrorHandler: createUnreadableHandler(explainAtTheDoor),
    frameworkErrors: (error, request, reply) => {
      begin(request as FastifyRequest, reply as FastifyReply)
      sendError(error, request as FastifyRequest, reply as FastifyReply)
    },
  })
  refusePipelining(app)
  endSilentConnections(app, scope.signal)
  const begin = addRequestScope(app, { ...scope, patienceOf: requestPatience, isBorder: true })
  cutStalledAnswers(app, { stallSeconds: scope.streamStallSeconds, metrics: scope.metrics })
  app.decorateRequest('charge', null as unknown as FastifyRequest['charge'])
  acceptJsonBodies(app)
  app.setErrorHandler(sendError)
  if (assertKnownHost !== null) {
    app.addHook('onRequest', async ({ raw }) => assertKnownHost(raw))
  }
  if (corsOrigins.length > 0) allowOrigins(app, corsOrigins)
  app.addHook('onRequest', (request, _reply, done) => done(request.is404 ? notFound() : undefined))
  addRoutes(app, { admission, forward })
  addApiDescription(app, { admission, publicUrl })
  addDocsPage(app, { admission })
  app.get('/ready', async (_request, reply) => {
    reply.hijack()
    await health.answer('/ready', reply.raw)
  })
  return app
}

/** No cookies are involved, so origins get no credentials; they see the headers that clients need. */
function allowOrigins(app: FastifyInstance, origins: readonly string[]): void {
  // The plugin has a route for preflights of any path; other questions about a path that is none are 404 as ever.
  app.addHook('onRequest', ({ routeOptions, headers }, _reply, done) => {
    const isPreflight = headers['access-control-request-method'] !== undefined
    done(routeOptions.url === '*' && !isPreflight ? notFound() : undefined)
  })
  app.register(cors, {
    origin: origins.includes('*') ? '*' : [...origins],
    methods: ['GET', 'HEAD', 'POST', 'PATCH', 'DELETE'],
    exposedHeaders: [
      'X-Request-Id',
      'RateLimit-Limit',
      'RateLimit-Remaining',
      'RateLimit-Reset',
      'Retry-After',
      'ETag',
      'Content-Disposition',
      'Content-Range',
      'Accept-Ranges',
    ],
    maxAge: 600,
    strictPreflight: false,
  })
}

function sendError(error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const { status, headers, body } = toErrorReply(error)
  if (status >= 500) request.failure = error
  if (status === 401) reply.header('www-authenticate', 'Bearer')
  return reply.code(status).headers(headers).type('application/json; charset=utf-8').send(JSON.stringify(body))
}
