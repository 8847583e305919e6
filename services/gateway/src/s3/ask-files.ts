import type { IncomingHttpHeaders, OutgoingHttpHeaders } from 'node:http'
import { fillParameters } from '@tideport/contracts/endpoint/path-shape'
import { principalHeader } from '@tideport/contracts/internal/principal'
import { clientAddressHeader, costHeader, postgresWaitHeader } from '@tideport/contracts/internal/request-headers'
import { currentTrace } from '@tideport/service-kit/context/request-context'
import { traceHeaders } from '@tideport/service-kit/context/trace-context'
import type { SignPrincipal } from '@tideport/service-kit/http/principal-token'
import { unavailable } from '@tideport/service-kit/process/app-error'
import { callSpan, noteStatus } from '@tideport/service-kit/telemetry/http-span'
import { inSpan } from '@tideport/service-kit/telemetry/span'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Dispatcher } from 'undici'
import { forwardAnswer } from '../forwarding/forward-answer.ts'
import { whileOpen } from '../forwarding/stream-request-body.ts'
import type { OpenRequest } from '../identity/open-request.ts'
import { askJson, mayTryNext } from '../upstream/ask-json.ts'
import type { LaneName } from '../upstream/connection-pools.ts'
import type { JsonAnswer } from '../upstream/request-json.ts'
import { requestWaitBudget } from '../upstream/request-wait-budget.ts'
import type { Upstream } from '../upstream/upstream.ts'
import { asRefusal, toRefusal } from './as-refusal.ts'

const HEADERS_TIMEOUT_MS = 30_000
/** Copies and completed uploads move all bytes of an object before they respond. */
const LONG_TIMEOUT_MS = 3_600_000
const BODY_TIMEOUT_MS = 60_000

/** An endpoint of the files service, and the request to it. */
export interface Question {
  method: Dispatcher.HttpMethod
  /** With parameters such as `:slug`. */
  path: string
  params?: Record<string, string>
  query?: Record<string, string | number | undefined>
  headers?: Record<string, string | undefined>
  body?: unknown
  /** The endpoint may respond late. */
  isLong?: boolean
}

export interface AskFilesDeps {
  upstream: Upstream
  sign: SignPrincipal
}

interface Sending {
  sizeBytes: number
  bytes: AsyncIterable<Buffer>
  /** What follows the bytes. */
  end: (() => Buffer) | null
}

type Translate = (status: number, headers: IncomingHttpHeaders) => OutgoingHttpHeaders

/** Requests to the files service on behalf of one admitted request. Errors are refusals. */
export interface AskFiles {
  json<T>(question: Question): Promise<T>
  /** The headers of a response to HEAD. */
  head(question: Question): Promise<IncomingHttpHeaders>
  /** Streams bytes up. An error of `upload` ends the request. */
  send<T>(question: Question, upload: Sending): Promise<T>
  /** Streams the response to the client with the headers that `translate` returns. */
  pass(question: Question, translate: Translate): Promise<void>
}

interface Asking {
  request: FastifyRequest
  reply: FastifyReply
  open: OpenRequest
  /** Takes a place for a download. */
  takeSlot: () => Promise<unknown>
}

export function createAskFiles({ upstream, sign }: AskFilesDeps, { request, reply, open, takeSlot }: Asking): AskFiles {
  function outgoing({ method, path, params = {}, query = {}, headers = {}, body, isLong }: Question) {
    const filled = fillParameters(path, (name) => encodeURIComponent(params[name] ?? ''))
    return {
      method,
      path: filled + queryText(query),
      headers: {
        ...withoutUndefined(headers),
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...traceHeaders(currentTrace()),
        [principalHeader]: sign(request.principal ?? { kind: 'public' }, 'files'),
        [clientAddressHeader]: request.clientAddress,
        [postgresWaitHeader]: String(requestWaitBudget().leftMs),
      },
      body: body === undefined ? null : JSON.stringify(body),
      headersTimeout: isLong ? LONG_TIMEOUT_MS : HEADERS_TIMEOUT_MS,
      bodyTimeout: BODY_TIMEOUT_MS,
      reset: false,
    } satisfies Dispatcher.DispatchOptions
  }

  async function ask(question: Question, sent: Dispatcher.DispatchOptions, lane: LaneName): Promise<JsonAnswer> {
    await open.confirm()
    return await inSpan(callSpan('files', question), async (span) => {
      const answered = await open.during(askJson(upstream, sent, lane))
      if (span) noteStatus(span, answered.status)
      const cost = Number(answered.headers[costHeader])
      if (cost > 0 && cost < Infinity) request.charge(cost)
      // The result may be secret, so it is returned only while the credential is valid.
      await open.confirm()
      return answered
    })
  }

  async function pass(question: Question, translate: Translate): Promise<void> {
    if (question.method !== 'HEAD') await takeSlot()
    await open.confirm()
    await inSpan(callSpan('files', question), async (span) => {
      const lane = question.method === 'HEAD' ? 'quick' : 'bytes'
      const forwarding = {
        lane,
        request: outgoing(question),
        reply,
        open,
        endpoint: { path: '/' },
        translate,
      } as const
      await passInTurn(upstream, forwarding)
      if (span) noteStatus(span, reply.raw.statusCode)
    })
  }

  return {
    async json<T>(question: Question) {
      return (await asRefusal(ask(question, outgoing(question), question.isLong ? 'confirm' : 'quick'))).answer as T
    },
    async head(question) {
      return (await asRefusal(ask(question, outgoing(question), 'quick'))).headers
    },
    async send<T>(question: Question, { bytes, sizeBytes, end }: Sending) {
      let failure: unknown
      const note = (error: unknown) => {
        failure = error
      }
      const body = followedBy(whileOpen(bytes, String(sizeBytes), open), end, note)
      // undici accepts any iterable. Its own timeout would include the time of the body.
      const sent = { ...outgoing(question), body: body as unknown as Buffer, headersTimeout: 0 }
      // Bytes that end with an error are the client's fault, not that of the service.
      const asked = ask(question, sent, 'bytes').catch((error: unknown) => {
        throw toRefusal(failure ?? error)
      })
      return (await asked).answer as T
    },
    pass: (question, translate) => asRefusal(pass(question, translate)),
  }
}

async function* followedBy(
  bytes: AsyncIterable<Buffer>,
  end: (() => Buffer) | null,
  onFailure: (error: unknown) => void,
): AsyncGenerator<Buffer> {
  try {
    yield* bytes
    if (end !== null) yield end()
  } catch (error) {
    onFailure(error)
    throw error
  }
}

async function passInTurn(upstream: Upstream, forwarding: Parameters<typeof forwardAnswer>[1]): Promise<void> {
  const { reply, open, request } = forwarding
  let failure: unknown
  for (const backend of upstream.inTurn()) {
    if (backend.liveness.isHung) continue
    try {
      return await forwardAnswer(backend, forwarding)
    } catch (error) {
      failure = error
      if (reply.raw.destroyed || open.failure !== undefined || !mayTryNext(request.method, error)) throw error
    }
  }
  throw unavailable('The service is temporarily unavailable', failure)
}

function queryText(query: Record<string, string | number | undefined>): string {
  const pairs = Object.entries(query).filter(([, value]) => value !== undefined)
  const text = pairs.map(([name, value]) => `${name}=${encodeURIComponent(String(value))}`).join('&')
  return text === '' ? '' : `?${text}`
}

function withoutUndefined(headers: Record<string, string | undefined>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).filter((pair): pair is [string, string] => pair[1] !== undefined))
}
