import { requestOf } from '@tideport/contracts/client/request-of'
import { type ErrorCode, errorBody } from '@tideport/contracts/endpoint/errors'
import type { CallAnswer, CallInput } from '@tideport/contracts/endpoint/two-sides'
import { internalApi } from '@tideport/contracts/internal/api'
import { postgresWaitHeader } from '@tideport/contracts/internal/postgres-wait'
import { type AccountPrincipal, principalHeader } from '@tideport/contracts/internal/principal'
import { currentTrace } from '@tideport/service-kit/context/request-context'
import { traceHeaders } from '@tideport/service-kit/context/trace-context'
import type { SignPrincipal } from '@tideport/service-kit/http/principal-token'
import { AppError, unavailable } from '@tideport/service-kit/process/app-error'
import { callSpan, noteStatus } from '@tideport/service-kit/telemetry/http-span'
import { inSpan } from '@tideport/service-kit/telemetry/span'
import type { Dispatcher } from 'undici'
import { type JsonAnswer, requestJson } from '../upstream/request-json.ts'
import { requestWaitBudget } from '../upstream/request-wait-budget.ts'
import type { Upstream } from '../upstream/upstream.ts'

/** Beyond its own wait for Postgres, for an auth process that does not answer at all. */
const MARGIN_MS = 100
/** However much auth has to do for others. */
const MOST_MS = 10_000

/** What the gateway asks the auth service. All of it can be asked twice without harm. */
export interface AuthClient {
  /** Who holds the key with this SHA-256 digest (hex). Throws 401 with the reason. */
  verifyApiKey(digest: string): Promise<AccountPrincipal>
  /** The account id of (issuer, subject), made on first sight. */
  ensureAccount(login: CallInput<typeof internalApi.ensureAccount>['body']): Promise<string>
  /** The account with this id or, without one, the first. Throws 401 when there is none. */
  findAccount(accountId: string | undefined): Promise<string>
}

/** When no auth process answers, everything here throws 503: an outage must never look like a wrong credential. */
export function createAuthClient(deps: AskDeps): AuthClient {
  return {
    verifyApiKey: (digest) => ask(deps, internalApi.verifyApiKey, { body: { digest } }),
    async ensureAccount(login) {
      return (await ask(deps, internalApi.ensureAccount, { body: login })).accountId
    },
    async findAccount(accountId) {
      return (await ask(deps, internalApi.findAccount, { body: { accountId } })).accountId
    },
  }
}

interface AskDeps {
  upstream: Upstream
  sign: SignPrincipal
}

/**
 * The request and the types are those of any client of the contracts. The transport is not: `fetch` knows no lanes, no
 * heartbeat and no wait budget shared by several processes. Nor is the reading: the answer goes on in a signed token, so it is
 * cut to what the contract names (docs/adr/0044).
 */
function ask<E extends (typeof internalApi)[keyof typeof internalApi]>(
  { upstream, sign }: AskDeps,
  endpoint: E,
  input: CallInput<E>,
): Promise<CallAnswer<E>> {
  return inSpan(callSpan('auth', endpoint), async (span) => {
    const { headers, ...asked } = requestOf(endpoint, input)
    const request: Dispatcher.DispatchOptions = {
      ...asked,
      headers: {
        ...headers,
        [principalHeader]: await sign({ kind: 'gateway' }, 'auth'),
        ...traceHeaders(currentTrace()),
      },
    }
    const { status, answer } = await send(upstream, request)
    if (span) noteStatus(span, status)
    if (status === endpoint.success.status) return endpoint.success.schema.parse(answer) as CallAnswer<E>
    throw toFailure(endpoint.errors, status, answer)
  })
}

async function send(upstream: Upstream, request: Dispatcher.DispatchOptions): Promise<JsonAnswer> {
  const waitBudget = requestWaitBudget()
  let failure: unknown
  for (const { lanes, heartbeat, observe } of upstream.inTurn()) {
    const startedAt = performance.now()
    try {
      const asked = requestJson(lanes.quick, timed(request, waitBudget.leftMs))
      const answer = await waitBudget.spendSilence(asked.answer, heartbeat, asked.abandon, MARGIN_MS)
      heartbeat.beat()
      observe(request.method, answer.status, startedAt)
      return answer
    } catch (error) {
      failure = error
      observe(request.method, 'failed', startedAt)
      if (waitBudget.leftMs === 0) break
    }
  }
  throw authUnavailable(failure)
}

function timed(request: Dispatcher.DispatchOptions, waitMs: number): Dispatcher.DispatchOptions {
  const headers = { ...(request.headers as object), [postgresWaitHeader]: String(waitMs) }
  return { ...request, headers, headersTimeout: MOST_MS, bodyTimeout: MOST_MS }
}

/** Only what the endpoint says of a credential reaches the client; anything else is an outage. */
function toFailure(codes: readonly ErrorCode[], status: number, answer: unknown): AppError {
  const { success, data } = errorBody.safeParse(answer)
  if (success && codes.includes(data.code)) return new AppError(data.code, data.error)
  return authUnavailable(new Error(`The auth service answered ${status}`))
}

function authUnavailable(cause: unknown): AppError {
  return unavailable('Authentication is temporarily unavailable', cause)
}
