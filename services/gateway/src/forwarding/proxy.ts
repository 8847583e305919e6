import type { Endpoint, Upstream as ServiceName } from '@tideport/contracts/endpoint/endpoint'
import { principalHeader } from '@tideport/contracts/internal/principal'
import { clientAddressHeader, postgresWaitHeader } from '@tideport/contracts/internal/request-headers'
import { currentTrace } from '@tideport/service-kit/context/request-context'
import { traceHeaders } from '@tideport/service-kit/context/trace-context'
import type { SignPrincipal } from '@tideport/service-kit/http/principal-token'
import { AppError, unavailable } from '@tideport/service-kit/process/app-error'
import { callSpan, noteStatus } from '@tideport/service-kit/telemetry/http-span'
import { inSpan } from '@tideport/service-kit/telemetry/span'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Dispatcher } from 'undici'
import type { CredentialWatch } from '../identity/credential-watch.ts'
import type { TakeStreamSlot } from '../limits/stream-slots.ts'
import { mayTryNext } from '../upstream/ask-json.ts'
import { laneOf } from '../upstream/connection-pools.ts'
import { requestWaitBudget } from '../upstream/request-wait-budget.ts'
import type { Upstream } from '../upstream/upstream.ts'
import { forwardAnswer } from './forward-answer.ts'
import { cookieHeader, requestHeaders } from './forwarded-headers.ts'
import { withBytes } from './stream-request-body.ts'

const HEADERS_TIMEOUT_MS = 30_000
/** Longest upstream silence inside a body. Pauses for a slow client do not count. */
const BODY_TIMEOUT_MS = 60_000
const CONFIRM_MARGIN_SECONDS = 10

interface ForwardDeps {
  upstreams: Record<ServiceName, Upstream>
  sign: SignPrincipal
  takeStreamSlot: TakeStreamSlot
  watch: CredentialWatch
  confirmWaitSeconds: number
  streamStallSeconds: number
}

export type Forwarded = Endpoint & { service: ServiceName }

export type Forward = (request: FastifyRequest, reply: FastifyReply, endpoint: Forwarded) => Promise<void>

export function createForward({ upstreams, sign, takeStreamSlot, watch, ...waits }: ForwardDeps): Forward {
  const confirmTimeoutMs = (waits.confirmWaitSeconds + CONFIRM_MARGIN_SECONDS) * 1000
  return async (request, reply, endpoint) => {
    const lane = laneOf(endpoint, request.method)
    // No event would signal the end of this request.
    if (request.raw.socket.destroyed) return void reply.hijack()
    using open = watch.enter(request)
    const slot = lane === 'bytes' ? await takeStreamSlot(request, reply) : null
    if (reply.raw.destroyed) {
      slot?.leave()
      return void reply.hijack()
    }
    if (slot) reply.raw.once('close', slot.leave)
    await open.confirm()
    // A key may revoke itself, so its request must not be cut off.
    if (lane === 'revoke') open.leave()
    const token = sign(request.principal ?? { kind: 'public' }, endpoint.service)
    return await inSpan(callSpan(endpoint.service, endpoint), async (span) => {
      const upstream = upstreams[endpoint.service]
      const headersTimeout = lane === 'confirm' ? confirmTimeoutMs : HEADERS_TIMEOUT_MS
      const sent = { ...toOutgoing(request, token, endpoint), headersTimeout }
      const isByLink = endpoint.path.startsWith('/s/')
      const taking = { upstream, isByLink, stallSeconds: waits.streamStallSeconds, signal: slot?.signal }
      const outgoing = endpoint.takesBytes ? await withBytes(sent, { request, reply, open }, taking) : sent
      let failure: unknown
      for (const backend of upstream.inTurn()) {
        if (backend.liveness.isHung) continue
        try {
          await forwardAnswer(backend, { lane, request: outgoing, reply, open, endpoint })
          if (span) noteStatus(span, reply.raw.statusCode)
          return
        } catch (error) {
          failure = error
          if (reply.raw.destroyed) return void reply.hijack()
          slot?.signal.throwIfAborted()
          if (open.failure !== undefined || !mayTryNext(outgoing.method, error)) break
        }
      }
      throw failure instanceof AppError ? failure : unavailable('The service is temporarily unavailable', failure)
    })
  }
}

function toOutgoing(request: FastifyRequest, token: string, { cookie }: Endpoint) {
  return {
    method: request.method as Dispatcher.HttpMethod,
    path: originForm(request.raw.url ?? '/'),
    headers: {
      ...requestHeaders(request.headers),
      ...(cookie !== undefined && cookieHeader(request.headers, cookie)),
      ...traceHeaders(currentTrace()),
      [principalHeader]: token,
      [clientAddressHeader]: request.clientAddress,
      [postgresWaitHeader]: String(requestWaitBudget().leftMs),
    },
    body: (request.body as Buffer | undefined) ?? null,
    bodyTimeout: BODY_TIMEOUT_MS,
    // By default, undici closes the connection after every HEAD.
    reset: false,
  } satisfies Dispatcher.DispatchOptions
}

/** A client may send an absolute URL as its target (RFC 9112 §3.2.2); the router matched its path. */
function originForm(target: string): string {
  return target.startsWith('/') ? target : target.replace(/^https?:\/\/[^/?]*/i, '') || '/'
}
