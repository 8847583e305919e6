import { AsyncLocalStorage } from 'node:async_hooks'
import type { Socket } from 'node:net'
import type { Principal } from '@tideport/contracts/internal/principal'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { inContext, logFields, type RequestContext } from '../context/request-context.ts'
import { sentTrace } from '../context/trace-context.ts'
import type { WaitBudget } from '../context/wait-budget.ts'
import { beginServerSpan, endServerSpan, type ServerSpanOptions } from '../telemetry/http-span.ts'
import type { Log } from '../telemetry/logger.ts'
import type { Metrics } from '../telemetry/metrics.ts'

declare module 'fastify' {
  interface FastifyInstance {
    underWay: () => FastifyReply[]
  }
  interface FastifyRequest {
    /** The context in which the request's hooks and handler run. */
    context: RequestContext
    principal: Principal | null
    /** The error that caused a 5xx response, for the request's log line. */
    failure: unknown
    abort: AbortController | null
  }
  interface FastifyContextConfig {
    /** For a frequently polled route without useful information: no log line, no measurement, no scope. */
    isUnrecorded?: boolean
  }
}

type BeginRequest = (request: FastifyRequest, reply: FastifyReply) => void

/** Recorded for a request whose client disconnected before the response. Never sent. */
const CLIENT_GONE = 499

interface RequestScopeOptions extends ServerSpanOptions {
  log: Log
  metrics: Metrics
  signal: AbortSignal
  waitBudgetOf: (request: FastifyRequest) => WaitBudget
}

/**
 * Gives each request a context, an abort signal, one log line, and one measurement. The returned function does so for a
 * response that Fastify sends before any hook.
 */
export function addRequestScope(app: FastifyInstance, options: RequestScopeOptions): BeginRequest {
  const { log, metrics, signal, waitBudgetOf } = options
  // Access log lines have no secret fields, and a search for secrets costs nearly three times as much as writing.
  const accessLog = log.child({}, { redact: [] })
  const open = new Map<FastifyReply, AbortController>()
  const isUnderWayOn = (socket: Socket) => [...open.keys()].some((reply) => reply.request.raw.socket === socket)
  const abortAll = () => {
    const lastOfEach = new Map(Array.from(open.keys(), (reply) => [reply.request.raw.socket, reply]))
    for (const reply of lastOfEach.values()) if (!reply.raw.headersSent) reply.header('connection', 'close')
    for (const controller of open.values()) controller.abort()
  }
  signal.addEventListener('abort', abortAll, { once: true })

  app.decorate('underWay', () => [...open.keys()])
  app.decorateRequest('context', null as unknown as RequestContext)
  app.decorateRequest('principal', null)
  app.decorateRequest('failure', null)
  app.decorateRequest('abort', null)
  // The context of a connection is that of its first request, or in memory that of no service.
  const inOwnContext = AsyncLocalStorage.snapshot()
  const beginHere: BeginRequest = (request, reply) => {
    const startedAt = performance.now()
    const sent = sentTrace((name) => request.headers[name] as string | undefined)
    const { url: route } = request.routeOptions
    const { trace, span } = beginServerSpan({ method: request.method, route }, sent, options)
    request.context = { trace, waitBudget: waitBudgetOf(request) }
    reply.header('x-request-id', trace.requestId)
    if (signal.aborted) reply.header('connection', 'close')
    const controller = new AbortController()
    request.abort = controller
    open.set(reply, controller)
    if (signal.aborted) controller.abort()
    reply.raw.once('close', () => {
      open.delete(reply)
      if (!reply.raw.writableFinished) controller.abort()
      // Otherwise, a response whose headers were already sent would keep its connection open until the timeout.
      if (signal.aborted && !isUnderWayOn(request.raw.socket)) request.raw.socket.destroySoon()
      const status = reply.raw.headersSent ? reply.raw.statusCode : CLIENT_GONE
      if (span) endServerSpan(span, status)
      const seconds = (performance.now() - startedAt) / 1000
      record(request, reply, { route: route ?? 'unknown', status, seconds }, { log, accessLog, metrics })
    })
  }
  app.addHook('onRequest', (request, reply, done) => {
    if (request.routeOptions.config.isUnrecorded) return done()
    inOwnContext(() => {
      beginHere(request, reply)
      // Fastify keeps this context while it reads the body, whose events arrive in the connection's context.
      inContext(request.context, done)
    })
  })
  return (request, reply) => inOwnContext(beginHere, request, reply)
}

function record(
  request: FastifyRequest,
  reply: FastifyReply,
  { route, status, seconds }: { route: string; status: number; seconds: number },
  { log, accessLog, metrics }: Pick<RequestScopeOptions, 'log' | 'metrics'> & { accessLog: Log },
): void {
  metrics.observeRequest({ method: request.method, route, status }, seconds)
  const line = {
    ...logFields(request.context.trace),
    method: request.method,
    route,
    status,
    durationMs: Math.round(seconds * 1000),
    ...(request.principal?.kind === 'account' ? { accountId: request.principal.accountId } : {}),
    ...(reply.raw.writableFinished ? {} : { isCutShort: true }),
  }
  // Without a failure, the response was forwarded from another service.
  const failure = request.failure ? { err: request.failure } : {}
  if (status === 500) log.error({ ...line, ...failure }, 'request failed')
  else if (status > 500) log.warn({ ...line, ...failure }, 'request not served')
  else accessLog.info(line, 'request served')
}
