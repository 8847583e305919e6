import cors from '@fastify/cors'
import { cutStalledAnswers } from '@tideport/service-kit/http/cut-stalled'
import { toErrorReply } from '@tideport/service-kit/http/error-reply'
import { endSilentConnections } from '@tideport/service-kit/http/open-sockets'
import { refuseBadHeaders } from '@tideport/service-kit/http/refuse-bad-headers'
import { refuseOtherMethods } from '@tideport/service-kit/http/refuse-other-methods'
import { addRequestScope } from '@tideport/service-kit/http/request-scope'
import { serverOptions } from '@tideport/service-kit/http/server-options'
import {
  createUnreadableHandler,
  explainUnreadable,
  refusePipelining,
  refuseTunnels,
} from '@tideport/service-kit/http/unreadable-request'
import { type AppError, notFound } from '@tideport/service-kit/process/app-error'
import { type Health, sendReadiness } from '@tideport/service-kit/process/health'
import type { Log } from '@tideport/service-kit/telemetry/logger'
import type { Metrics } from '@tideport/service-kit/telemetry/metrics'
import type { ConnectionError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import Fastify from 'fastify'
import type { ForwardedBucket } from './forwarding/forward-bucket.ts'
import type { Forward } from './forwarding/proxy.ts'
import { addRoutes } from './forwarding/routes.ts'
import { TOKEN_MAX_LENGTH } from './identity/authenticate.ts'
import { unauthenticated } from './identity/unauthenticated.ts'
import type { Admission } from './limits/admission.ts'
import { answerExpectations } from './limits/expectations.ts'
import type { AssertKnownHost } from './limits/known-hosts.ts'
import { routeByHost } from './s3/route-by-host.ts'
import { addConsole, routable } from './site/console.ts'
import { addApiDescription, addDocsPage } from './site/docs-page.ts'
import { addSignIn, type SignIn } from './site/sign-in.ts'
import { acceptJsonBodies } from './upstream/json-body.ts'
import { requestWaitBudget } from './upstream/request-wait-budget.ts'

export interface AppDeps {
  admission: Admission
  forward: Forward
  bucket: ForwardedBucket | undefined
  /** Null outside development mode. */
  assertKnownHost: AssertKnownHost | null
  corsOrigins: readonly string[]
  publicUrl: string | undefined
  signIn: SignIn
  consoleDir: string | undefined
  consoleConnectOrigins: readonly string[]
  identityProviderIssuer: string | undefined
  streamStallSeconds: number
  /** The S3 API by host name, on the same port. */
  s3: { hosts: readonly string[]; app: FastifyInstance } | null
  health: Health
  log: Log
  metrics: Metrics
  signal: AbortSignal
}

export function createApp(deps: AppDeps): FastifyInstance {
  const { admission, forward, assertKnownHost, corsOrigins, publicUrl, signIn, health, ...scope } = deps
  const app = Fastify({
    ...serverOptions,
    exposeHeadRoutes: false,
    rewriteUrl: ({ url = '' }) => routable(url),
    clientErrorHandler: createUnreadableHandler(explainAtTheDoor),
    frameworkErrors: (error, request, reply) => {
      begin(request as FastifyRequest, reply as FastifyReply)
      sendError(error, request as FastifyRequest, reply as FastifyReply)
    },
  })
  if (deps.s3 !== null) routeByHost(app, deps.s3)
  refusePipelining(app)
  refuseTunnels(app)
  endSilentConnections(app, scope.signal)
  const begin = addRequestScope(app, { ...scope, waitBudgetOf: requestWaitBudget, isBorder: true })
  cutStalledAnswers(app, { stallSeconds: scope.streamStallSeconds, metrics: scope.metrics })
  app.decorateRequest('clientAddress', '')
  app.decorateRequest('credential', null)
  app.decorateRequest('admittedAt', 0)
  app.decorateRequest('countRefusal', null)
  app.decorateRequest('charge', null as unknown as FastifyRequest['charge'])
  answerExpectations(app)
  refuseBadHeaders(app)
  acceptJsonBodies(app)
  app.setErrorHandler(sendError)
  if (assertKnownHost !== null) {
    app.addHook('onRequest', async ({ raw }) => assertKnownHost(raw))
  }
  if (corsOrigins.length > 0) allowOrigins(app, corsOrigins)
  app.addHook('onRequest', (request, _reply, done) => done(request.is404 ? notFound() : undefined))
  addRoutes(app, { admission, forward, bucket: scope.bucket })
  addApiDescription(app, { admission, publicUrl })
  addDocsPage(app, { admission, publicUrl })
  addSignIn(app, { admission, signIn })
  addConsole(app, deps)
  const answerReady = async (_request: FastifyRequest, reply: FastifyReply) => {
    reply.hijack()
    sendReadiness(reply.raw, await health.readiness())
  }
  app.route({ method: ['GET', 'HEAD'], url: '/ready', handler: answerReady })
  refuseOtherMethods(app, '/ready', ['GET', 'HEAD'])
  return app
}

/** Allows no credentials, because the API uses no cookies. Exposes the headers that clients need. */
function allowOrigins(app: FastifyInstance, origins: readonly string[]): void {
  // The plugin routes preflights of every path. Other OPTIONS requests to unknown paths still get 404.
  app.addHook('onRequest', ({ routeOptions, headers }, _reply, done) => {
    const isPreflight = headers['access-control-request-method'] !== undefined
    done(routeOptions.url === '*' && !isPreflight ? notFound() : undefined)
  })
  app.register(cors, {
    origin: origins.includes('*') ? '*' : [...origins],
    methods: ['GET', 'HEAD', 'PUT', 'POST', 'PATCH', 'DELETE'],
    exposedHeaders: [
      'X-Request-Id',
      'RateLimit-Limit',
      'RateLimit-Remaining',
      'RateLimit-Reset',
      'Retry-After',
      'ETag',
      'Repr-Digest',
      'Content-Disposition',
      'Content-Range',
      'Accept-Ranges',
      'Server-Timing',
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

/** A credential too long for any header gets the same 401 as every other wrong one. */
function explainAtTheDoor(error: ConnectionError): AppError {
  // Fastify types the packet as JSON, but Node passes a Buffer.
  const received = Buffer.isBuffer(error.rawPacket) ? error.rawPacket.toString('latin1') : ''
  const [credential = ''] = /\r\nauthorization:[^\r]*/i.exec(received) ?? []
  const isTooLong = error.code === 'HPE_HEADER_OVERFLOW' && credential.length > TOKEN_MAX_LENGTH
  return isTooLong ? unauthenticated() : explainUnreadable(error)
}
