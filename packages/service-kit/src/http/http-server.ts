import { isUtf8 } from 'node:buffer'
import type { Endpoint } from '@tideport/contracts/endpoint/endpoint'
import { restOf, routePath } from '@tideport/contracts/endpoint/path-shape'
import { alivePath } from '@tideport/contracts/internal/alive'
import { principalHeader } from '@tideport/contracts/internal/principal'
import { costHeader, postgresWaitHeader, postgresWaitMs } from '@tideport/contracts/internal/request-headers'
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify'
import type { z } from 'zod'
import { WaitBudget } from '../context/wait-budget.ts'
import { AppError, notFound, unavailable } from '../process/app-error.ts'
import type { Log } from '../telemetry/logger.ts'
import type { Metrics } from '../telemetry/metrics.ts'
import { originOf } from './audit-origin.ts'
import { authorize, notAuthenticated } from './authorize.ts'
import { acceptJsonOnly } from './body-parsers.ts'
import { cutStalledAnswers } from './cut-stalled.ts'
import { toErrorReply } from './error-reply.ts'
import { inOurWords, invalidInput, toInputIssues } from './invalid-input.ts'
import { endSilentConnections } from './open-sockets.ts'
import type { VerifyPrincipal } from './principal-token.ts'
import { refuseBadHeaders } from './refuse-bad-headers.ts'
import { methodsOf, refuseMethodsOfNone } from './refuse-other-methods.ts'
import { addRequestScope } from './request-scope.ts'
import type { Route, RouteInput } from './route.ts'
import { serverOptions } from './server-options.ts'
import { addByteRoutes } from './streamed-body.ts'
import { createUnreadableHandler, refusePipelining, refuseTunnels } from './unreadable-request.ts'

export interface HttpServerOptions {
  log: Log
  metrics: Metrics
  verifyPrincipal: VerifyPrincipal
  routes: readonly Route[]
  signal: AbortSignal
  bodyLimitBytes?: number
  /** Maximum time that a request may wait for Postgres, in milliseconds. */
  postgresWaitMs?: number
  streamStallSeconds?: number
}

/** Twice the gateway's limit: buffers between gateway and service hide a slow client for a while. */
const STREAM_STALL_SECONDS = 60

/** Order: token (401), access (401, 403), parameters (404), body (413, 415), query and body (400), handler. */
export function createHttpServer(options: HttpServerOptions): FastifyInstance {
  const app = Fastify({
    ...serverOptions,
    bodyLimit: options.bodyLimitBytes ?? serverOptions.bodyLimit,
    clientErrorHandler: createUnreadableHandler(),
    frameworkErrors: (error, request, reply) => {
      begin(request as FastifyRequest, reply as FastifyReply)
      sendError(error, request as FastifyRequest, reply as FastifyReply)
    },
  })
  refusePipelining(app)
  refuseTunnels(app)
  endSilentConnections(app, options.signal)
  const { postgresWaitMs: waitMs = postgresWaitMs } = options
  const begin = addRequestScope(app, {
    ...options,
    waitBudgetOf: (request) => waitBudgetOf(request, waitMs),
    isBorder: false,
  })
  cutStalledAnswers(app, {
    stallSeconds: options.streamStallSeconds ?? STREAM_STALL_SECONDS,
    metrics: options.metrics,
  })
  refuseBadHeaders(app)
  acceptJsonOnly(app)
  app.setErrorHandler(sendError)
  app.addHook('onRequest', async (request) => {
    if (request.is404) throw notFound()
  })
  app.get(alivePath, { config: { isUnrecorded: true } }, (_request, reply) => reply.code(204).send())
  for (const route of options.routes.filter(({ endpoint }) => !endpoint.takesBytes)) addRoute(app, route, options)
  addByteRoutes(app, (scope) => {
    for (const route of options.routes.filter(({ endpoint }) => endpoint.takesBytes)) addRoute(scope, route, options)
  })
  refuseMethodsOfNone(
    app,
    options.routes.map(({ endpoint }) => endpoint),
  )
  return app
}

function addRoute(app: FastifyInstance, { endpoint, handle }: Route, { verifyPrincipal }: HttpServerOptions): void {
  app.route({
    method: methodsOf(endpoint),
    url: routePath(endpoint.path),
    config: { takesBytes: endpoint.takesBytes === true, takesForm: endpoint.takesForm === true },
    onRequest: async (request) => {
      const token = request.headers[principalHeader]
      if (typeof token !== 'string') throw notAuthenticated()
      const principal = verifyPrincipal(token)
      request.principal = principal
      authorize(endpoint, principal)
      if (principal.kind === 'account') request.context.origin = originOf({ principal, request })
      request.params = parseParams(endpoint, request.params)
    },
    handler: async (request, reply) => {
      assertUtf8Query(request.url)
      const input = {
        params: request.params,
        query: parseInput(endpoint.query, 'query', request.query),
        headers: parseInput(endpoint.headers, 'headers', request.headers),
        // A missing body counts as an object without fields, because an endpoint may require none.
        body: parseInput(endpoint.body, 'body', request.body === undefined ? {} : request.body),
        principal: request.principal,
        charge: (requests: number) => {
          if (requests > 0) reply.header(costHeader, String(Number(reply.getHeader(costHeader) ?? 0) + requests))
        },
        request,
        reply,
        signal: request.abort?.signal,
      }
      const result = await handle(input as unknown as RouteInput)
      if (!('schema' in endpoint.success)) return reply
      const body = JSON.stringify(endpoint.success.schema.parse(result))
      return reply.code(endpoint.success.status).type('application/json; charset=utf-8').send(body)
    },
  })
}

/** The budget that remains after the waits of the gateway's own requests. */
function waitBudgetOf(request: FastifyRequest, mostMs: number): WaitBudget {
  const leftMs = Number(request.headers[postgresWaitHeader])
  return new WaitBudget(leftMs >= 0 ? Math.min(leftMs, mostMs) : mostMs)
}

function sendError(error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const { status, headers, body } = toErrorReply(asCutShort(error, request))
  if (status >= 500) request.failure = error
  return reply.code(status).headers(headers).type('application/json; charset=utf-8').send(JSON.stringify(body))
}

/** After the signal aborts, an error is not the request's own: the process is stopping, or the client disconnected. */
function asCutShort(error: unknown, request: FastifyRequest): unknown {
  if (error instanceof AppError || !request.abort?.signal.aborted) return error
  return unavailable('The service is restarting', error)
}

/** Throws 404 for a malformed path parameter: no resource has such an ID or path. */
function parseParams({ path, params: schema }: Pick<Endpoint, 'path' | 'params'>, params: unknown): unknown {
  if (schema === undefined) return undefined
  const { '*': left, ...named } = params as Record<string, string>
  const rest = restOf(path)
  const result = schema.safeParse(rest === null ? named : { ...named, [rest]: left })
  if (!result.success) throw notFound()
  return result.data
}

/** Throws 400 unless the query is percent-encoded UTF-8, because decoding would change the client's values. */
function assertUtf8Query(url: string): void {
  const query = url.slice((url.indexOf('?') + 1 || url.length + 1) - 1)
  const encoded = query.match(/(?:%[0-9a-f]{2})+/gi) ?? []
  // Node reads bytes that are invalid in a URL as Latin-1.
  const isValid = !/[\u0080-\u00ff]/.test(query) && encoded.every(isEncodedUtf8)
  if (!isValid) throw new AppError('validation_failed', 'The request query must be percent-encoded UTF-8')
}

function isEncodedUtf8(bytes: string): boolean {
  return isUtf8(Buffer.from(bytes.replaceAll('%', ''), 'hex'))
}

function parseInput(schema: z.ZodType | undefined, part: 'query' | 'headers' | 'body', input: unknown): unknown {
  if (schema === undefined) return undefined
  const result = schema.safeParse(input, { error: inOurWords })
  if (result.success) return result.data
  throw invalidInput(part, toInputIssues(result.error))
}
