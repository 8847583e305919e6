import { principalHeader } from '@tideport/contracts/principal'
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest, type HTTPMethods } from 'fastify'
import { AppError, notFound, unavailable } from './app-error.ts'
import { authorize, notAuthenticated } from './authorize.ts'
import { acceptJsonOnly } from './body-parsers.ts'
import { toErrorReply } from './error-reply.ts'
import type { Log } from './logger.ts'
import type { Metrics } from './metrics.ts'
import type { VerifyPrincipal } from './principal-token.ts'
import { parseInput, parseParams } from './request-parts.ts'
import { addRequestScope } from './request-scope.ts'
import type { Route, RouteInput } from './route.ts'

const BODY_LIMIT_BYTES = 64 * 1024
const REQUEST_TIMEOUT_MS = 30_000
const KEEP_ALIVE_MS = 75_000
const MAX_PARAM_LENGTH = 512
const METHODS: readonly HTTPMethods[] = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']

export interface HttpServerOptions {
  log: Log
  metrics: Metrics
  verifyPrincipal: VerifyPrincipal
  routes: readonly Route[]
  /** Aborts when the process was told to stop. */
  signal: AbortSignal
  bodyLimitBytes?: number
}

/**
 * A service's API: exactly the given routes, called by the gateway. In this order: the principal token (401), the
 * endpoint's access (401, 403), path parameters (404), body (413, 415), query and body (400), handler.
 * Listen with `app.listen`; disposing it finishes the requests under way.
 */
export function createHttpServer(options: HttpServerOptions): FastifyInstance {
  const app = Fastify({
    logger: false,
    trustProxy: false,
    bodyLimit: options.bodyLimitBytes ?? BODY_LIMIT_BYTES,
    requestTimeout: REQUEST_TIMEOUT_MS,
    keepAliveTimeout: KEEP_ALIVE_MS,
    forceCloseConnections: 'idle',
    return503OnClosing: false,
    routerOptions: { maxParamLength: MAX_PARAM_LENGTH },
    frameworkErrors: (error, request, reply) => {
      begin(request as FastifyRequest, reply as FastifyReply)
      sendError(error, request as FastifyRequest, reply as FastifyReply)
    },
  })
  const begin = addRequestScope(app, options)
  acceptJsonOnly(app)
  app.setErrorHandler(sendError)
  app.addHook('onRequest', async (request) => {
    if (request.is404) throw notFound()
  })
  for (const route of options.routes) addRoute(app, route, options.verifyPrincipal)
  refuseOtherMethods(app, options.routes)
  return app
}

function addRoute(app: FastifyInstance, { endpoint, handle }: Route, verifyPrincipal: VerifyPrincipal): void {
  app.route({
    method: endpoint.method === 'GET' ? ['GET', 'HEAD'] : endpoint.method,
    url: endpoint.path,
    onRequest: async (request) => {
      const token = request.headers[principalHeader]
      if (typeof token !== 'string') throw notAuthenticated()
      request.principal = await verifyPrincipal(token)
      authorize(endpoint.access, request.principal)
      request.params = parseParams(endpoint.params, request.params)
    },
    handler: async (request, reply) => {
      const input = {
        params: request.params,
        query: parseInput(endpoint.query, 'query', request.query),
        headers: parseInput(endpoint.headers, 'headers', request.headers),
        body: parseInput(endpoint.body, 'body', request.body),
        principal: request.principal,
        trace: request.trace,
        request,
        reply,
        signal: request.abort?.signal,
      }
      const result = await handle(input as unknown as RouteInput)
      if ('bytes' in endpoint.success) return reply
      const body = JSON.stringify(endpoint.success.schema.parse(result))
      return reply.code(endpoint.success.status).type('application/json; charset=utf-8').send(body)
    },
  })
}

/** A path that exists answers 405 to every method that none of its endpoints has. */
function refuseOtherMethods(app: FastifyInstance, routes: readonly Route[]): void {
  const byShape = Map.groupBy(routes, ({ endpoint }) => endpoint.path.replace(/:[^/]+/g, ':'))
  for (const sharing of byShape.values()) {
    const allowed = new Set<string>(sharing.map(({ endpoint }) => endpoint.method))
    if (allowed.has('GET')) allowed.add('HEAD')
    app.route({
      method: METHODS.filter((method) => !allowed.has(method)),
      url: sharing[0]?.endpoint.path ?? '/',
      onRequest: async (_request, reply) => {
        reply.header('allow', [...allowed].join(', '))
        throw new AppError('method_not_allowed', 'The method is not allowed here')
      },
      handler: async () => undefined,
    })
  }
}

function sendError(error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const { status, headers, body } = toErrorReply(asCutShort(error, request))
  if (status >= 500) request.failure = error
  return reply.code(status).headers(headers).type('application/json; charset=utf-8').send(JSON.stringify(body))
}

/** What fails because its signal aborted did not fail by itself: the process is stopping, or nobody listens any more. */
function asCutShort(error: unknown, request: FastifyRequest): unknown {
  if (error instanceof AppError || !request.abort?.signal.aborted) return error
  return unavailable('The service is restarting', error)
}
