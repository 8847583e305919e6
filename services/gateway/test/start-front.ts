import { once } from 'node:events'
import { type ClientRequest, type IncomingMessage, type Server, request as sendRequest } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { endpoint } from '@tideport/contracts/endpoint/endpoint'
import { toErrorReply } from '@tideport/service-kit/http/error-reply'
import { createHttpServer } from '@tideport/service-kit/http/http-server'
import { addRequestScope } from '@tideport/service-kit/http/request-scope'
import { type Route, type RouteInput, serve } from '@tideport/service-kit/http/route'
import { serverOptions } from '@tideport/service-kit/http/server-options'
import { addByteRoutes } from '@tideport/service-kit/http/streamed-body'
import { createLogger } from '@tideport/service-kit/telemetry/logger'
import { createMetrics } from '@tideport/service-kit/telemetry/metrics'
import { waitFor } from '@tideport/testing/wait-for'
import Fastify, { type FastifyInstance } from 'fastify'
import { z } from 'zod'
import { createForward, type Forwarded } from '../src/forwarding/proxy.ts'
import { OpenRequest } from '../src/identity/open-request.ts'
import { acceptJsonBodies } from '../src/upstream/json-body.ts'
import { requestWaitBudget } from '../src/upstream/request-wait-budget.ts'
import { createUpstream } from '../src/upstream/upstream.ts'
import { principalKeys } from './bundle.ts'

export const ACCOUNT_ID = '01890a5d-ac96-774b-bcce-b302099a8057'
export const CLIENT_ADDRESS = '192.0.2.7'
const parts = { log: createLogger({ service: 'test', level: 'silent' }), metrics: createMetrics('test') }

export type Transport = 'tcp' | 'direct'

const base = { service: 'files', summary: 'Test', errors: [] } as const
const json = { ...base, success: { status: 200, schema: z.looseObject({}) } } as const

export type Call = Pick<RouteInput, 'request' | 'reply' | 'principal'> & { body: unknown }
export type Handle = (call: Call) => Promise<unknown>

/** JSON without and with a body, and bytes in both directions. */
function routesTo(handle: Handle): readonly Route[] {
  const answer = async (call: Call) => (await handle(call)) as Record<string, unknown>
  const bytes = async (call: Call) => {
    await handle(call)
    return call.reply
  }
  return [
    serve(endpoint({ ...json, method: 'GET', path: '/api/json', access: 'files:read' }), answer),
    serve(
      endpoint({
        ...json,
        method: 'POST',
        path: '/api/json',
        access: 'files:write',
        body: z.object({ name: z.string() }),
      }),
      answer,
    ),
    serve(endpoint({ ...json, method: 'PUT', path: '/api/bytes', access: 'files:write', takesBytes: true }), answer),
    serve(
      endpoint({
        ...base,
        method: 'GET',
        path: '/api/bytes',
        access: 'files:read',
        success: { status: 200, bytes: true },
      }),
      bytes,
    ),
  ]
}

/** A service that responds by `handle`, and the gateway's forwarding to it, in this process. Admits every request. */
export async function startFront(transport: Transport, handle: Handle, limits: { streamStallSeconds?: number } = {}) {
  const routes = routesTo(handle)
  const stop = new AbortController()
  const metrics = createMetrics('test')
  const service = createHttpServer({
    ...{ ...parts, ...limits, metrics, routes, signal: stop.signal },
    verifyPrincipal: principalKeys.verifierFor('files'),
  })
  let isServing = true
  await service.listen({ host: '127.0.0.1', port: 0 })
  const { port } = service.server.address() as AddressInfo
  const direct = transport === 'direct' ? () => (isServing ? (service.server as Server) : undefined) : null
  const urls = [`http://127.0.0.1:${port}`]
  const upstream = createUpstream({ name: 'files', ...parts, urls, direct })
  const front = createFront(routes, upstream)
  await front.listen({ host: '127.0.0.1', port: 0 })
  const { port: frontPort } = front.server.address() as AddressInfo
  const stopService = async () => {
    isServing = false
    service.server.closeAllConnections()
    await service.close()
  }
  return {
    ...{ upstream, service, metrics, stopService },
    ask: (method: string, path: string, headers: Record<string, string> = {}) =>
      sendRequest({ host: '127.0.0.1', port: frontPort, method, path, headers, agent: false }),
    async [Symbol.asyncDispose]() {
      front.server.closeAllConnections()
      await front.close()
      await upstream[Symbol.asyncDispose]()
      await stopService()
    },
  }
}

function createFront(routes: readonly Route[], files: ReturnType<typeof createUpstream>): FastifyInstance {
  const front = Fastify({ ...serverOptions, exposeHeadRoutes: false })
  const signal = new AbortController().signal
  addRequestScope(front, { ...parts, signal, waitBudgetOf: requestWaitBudget, isBorder: true })
  front.decorateRequest('clientAddress', CLIENT_ADDRESS)
  front.decorateRequest('credential', null)
  front.decorateRequest('countRefusal', null)
  front.decorateRequest('admittedAt', 0)
  front.decorateRequest('charge', () => {})
  front.addHook('onRequest', async (request) => {
    request.principal = { kind: 'account', accountId: ACCOUNT_ID, method: 'jwt', scopes: null }
  })
  acceptJsonBodies(front)
  front.setErrorHandler((error, _request, reply) => {
    const { status, headers, body } = toErrorReply(error)
    return reply.code(status).headers(headers).send(body)
  })
  const forward = createForward({
    upstreams: { auth: files, files, webhooks: files },
    sign: principalKeys.sign,
    takeStreamSlot: async () => ({ signal, leave: () => {} }),
    watch: { enter: (admitted) => new OpenRequest(null, admitted), [Symbol.dispose]: () => {} },
    ...{ confirmWaitSeconds: 50, streamStallSeconds: 30 },
  })
  const add = (scope: FastifyInstance, endpoint: Forwarded) =>
    scope.route({
      method: endpoint.method === 'GET' ? ['GET', 'HEAD'] : endpoint.method,
      url: endpoint.path,
      config: { takesBytes: endpoint.takesBytes === true },
      handler: (request, reply) => forward(request, reply, endpoint),
    })
  const endpoints = routes.map(({ endpoint }) => endpoint as Forwarded)
  for (const one of endpoints.filter(({ takesBytes }) => !takesBytes)) add(front, one)
  addByteRoutes(front, (scope) => {
    for (const one of endpoints.filter(({ takesBytes }) => takesBytes)) add(scope, one)
  })
  return front
}

export async function responseTo(outgoing: ClientRequest): Promise<IncomingMessage> {
  const [response] = await once(outgoing, 'response')
  return response as IncomingMessage
}

export async function read(outgoing: ClientRequest) {
  const response = await responseTo(outgoing)
  const text = Buffer.concat(await response.toArray()).toString()
  return {
    status: response.statusCode,
    headers: response.headers,
    text,
    body: text.startsWith('{') ? JSON.parse(text) : null,
  }
}

/** Waits until a figure is above 0 and no longer grows. */
export async function stable(read: () => number | false): Promise<void> {
  let last: number | false = false
  await waitFor(async () => {
    last = read()
    await delay(300)
    return last !== false && last > 0 && read() === last
  })
}
