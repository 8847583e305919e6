import { type ErrorCode, errorBody } from '@tideport/contracts/endpoint/errors'
import type { Answered, Sent } from '@tideport/contracts/endpoint/two-sides'
import { internalApi } from '@tideport/contracts/internal/api'
import { principalHeader } from '@tideport/contracts/internal/principal'
import { postgresWaitHeader } from '@tideport/contracts/internal/request-headers'
import { currentTrace } from '@tideport/service-kit/context/request-context'
import { traceHeaders } from '@tideport/service-kit/context/trace-context'
import type { SignPrincipal } from '@tideport/service-kit/http/principal-token'
import { AppError, unavailable } from '@tideport/service-kit/process/app-error'
import { type Moment, thisMoment } from '@tideport/service-kit/process/remembered-answers'
import { callSpan, noteStatus } from '@tideport/service-kit/telemetry/http-span'
import { inSpan } from '@tideport/service-kit/telemetry/span'
import type { Dispatcher } from 'undici'
import { type JsonAnswer, requestJson } from '../upstream/request-json.ts'
import { requestWaitBudget } from '../upstream/request-wait-budget.ts'
import type { Backend, Upstream } from '../upstream/upstream.ts'
import { type Coalesce, createCoalescer, type Exchange, type Send } from './coalesce.ts'
import type { KeyAnswer } from './key-answers.ts'

/** Added to auth's own wait for Postgres, to detect an unresponsive auth process. */
const MARGIN_MS = 100
/** Upper limit, even if auth is busy with other requests. */
const MOST_MS = 10_000

/** The gateway's requests to the auth service. All of them can be repeated safely. */
export interface AuthClient {
  /** Finds a key by its SHA-256 digest (hex). `addresses` limits the clients. Throws 401 with the reason. */
  verifyApiKey(digest: string): Promise<KeyAnswer>
  /** Finds a key by its access key ID for the S3 API, with the signing keys of a day and region. Throws like `verifyApiKey`. */
  findS3Key(scope: Sent<typeof internalApi.findS3Key>): Promise<S3KeyAnswer>
  /** Checks which keys are still valid, at most `recheckedKeysMax`. */
  recheckApiKeys(digests: string[]): Promise<{ keys: RecheckedKey[]; askedAt: Moment }>
  ensureAccount(login: Sent<typeof internalApi.ensureAccount>): Promise<string>
  findAccount(accountId: string | undefined): Promise<string>
}

interface S3KeyAnswer extends KeyAnswer {
  digest: string
  signingKeys: readonly Buffer[]
}

export type RecheckedKey = Answered<typeof internalApi.recheckApiKeys>['keys'][number]

/** Throws 503 when no auth process responds: an outage must never look like an invalid credential. */
export function createAuthClient(deps: AskDeps): AuthClient {
  const coalescers = new Map<Backend, Coalesce<Told>>()
  /** Shares lookups only among requests to the same process. */
  const coalescerOf = (backend: Backend) => {
    const coalesce = coalescers.get(backend) ?? createCoalescer()
    coalescers.set(backend, coalesce)
    return coalesce
  }
  const together =
    (name: string): Via =>
    (backend, waitMs, send) =>
      coalescerOf(backend)(name, waitMs, send)
  return {
    async verifyApiKey(digest) {
      const { answer, askedAt } = await ask(deps, internalApi.verifyApiKey, { digest }, together(digest))
      const { usableMs, addresses = null, ...principal } = answer
      return { principal, addresses, life: { askedAt, usableMs } }
    },
    async findS3Key(scope) {
      const name = `${scope.accessKey}/${scope.date}/${scope.region}`
      const { answer, askedAt } = await ask(deps, internalApi.findS3Key, scope, together(name))
      const { usableMs, addresses = null, digest, signingKeys, ...principal } = answer
      const keys = signingKeys.map((key) => Buffer.from(key, 'base64'))
      return { principal, addresses, life: { askedAt, usableMs }, digest, signingKeys: keys }
    },
    async recheckApiKeys(digests) {
      const { answer, askedAt } = await ask(deps, internalApi.recheckApiKeys, { digests })
      return { keys: answer.keys, askedAt }
    },
    async ensureAccount(login) {
      return (await ask(deps, internalApi.ensureAccount, login)).answer.accountId
    },
    async findAccount(accountId) {
      return (await ask(deps, internalApi.findAccount, { accountId })).answer.accountId
    },
  }
}

type AuthEndpoint = Extract<(typeof internalApi)[keyof typeof internalApi], { service: 'auth' }>

interface AskDeps {
  upstream: Upstream
  sign: SignPrincipal
}

/** A response, with the moment just before its request was sent. */
interface Told extends JsonAnswer {
  askedAt: Moment
}

/** Sends a request to one process. */
type Via = (backend: Backend, waitMs: number, send: Send<Told>) => Exchange<Told>

const alone: Via = (_backend, waitMs, send) => send(waitMs)

/**
 * Without `fetch`, which has no lanes, heartbeat, or shared wait budget. Strips the response to the contract
 * (ADR 0018).
 */
function ask<E extends AuthEndpoint>(
  { upstream, sign }: AskDeps,
  endpoint: E,
  body: Sent<E>,
  via: Via = alone,
): Promise<{ answer: Answered<E>; askedAt: Moment }> {
  return inSpan(callSpan('auth', endpoint), async (span) => {
    const own = { [principalHeader]: sign({ kind: 'gateway' }, 'auth'), ...traceHeaders(currentTrace()) }
    const toRequest = (waitMs: number): Dispatcher.DispatchOptions => {
      const headers = { 'content-type': 'application/json', ...own, [postgresWaitHeader]: String(waitMs) }
      const { method, path } = endpoint
      return { method, path, headers, body: JSON.stringify(body), headersTimeout: MOST_MS, bodyTimeout: MOST_MS }
    }
    const { status, answer, askedAt } = await askInTurn(upstream, toRequest, via)
    if (span) noteStatus(span, status)
    if (status === endpoint.success.status)
      return { answer: endpoint.success.schema.parse(answer) as Answered<E>, askedAt }
    throw toFailure(endpoint.errors, status, answer)
  })
}

async function askInTurn(
  upstream: Upstream,
  toRequest: (waitMs: number) => Dispatcher.DispatchOptions,
  via: Via,
): Promise<Told> {
  const waitBudget = requestWaitBudget()
  let failure: unknown
  for (const backend of upstream.inTurn()) {
    try {
      const asked = via(backend, waitBudget.leftMs, (waitMs) => send(backend, toRequest(waitMs)))
      const answer = await waitBudget.spendSilence(asked.answer, backend.heartbeat, asked.abandon, MARGIN_MS)
      backend.heartbeat.beat()
      return answer
    } catch (error) {
      failure = error
      if (waitBudget.leftMs === 0) break
    }
  }
  throw authUnavailable(failure)
}

function send({ lanes, observe }: Backend, request: Dispatcher.DispatchOptions): Exchange<Told> {
  const askedAt = thisMoment()
  const startedAt = askedAt.monotonicMs
  try {
    const { answer, abandon } = requestJson(lanes.quick, request)
    answer.then(
      ({ status }) => observe(request.method, status, startedAt),
      () => observe(request.method, 'failed', startedAt),
    )
    return { answer: answer.then((told) => ({ ...told, askedAt })), abandon }
  } catch (error) {
    observe(request.method, 'failed', startedAt)
    throw error
  }
}

/** Passes on only the errors that the endpoint declares. Anything else counts as an outage. */
function toFailure(codes: readonly ErrorCode[], status: number, answer: unknown): AppError {
  const { success, data } = errorBody.safeParse(answer)
  if (success && codes.includes(data.code)) return new AppError(data.code, data.error)
  return authUnavailable(new Error(`The auth service returned HTTP ${status}`))
}

function authUnavailable(cause: unknown): AppError {
  return unavailable('Authentication is temporarily unavailable', cause)
}
