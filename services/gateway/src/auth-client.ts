import type { Endpoint } from '@tideport/contracts/endpoint'
import { type ErrorCode, errorBody } from '@tideport/contracts/errors'
import { findAccount, resolveAccount, verifyApiKey } from '@tideport/contracts/http/internal'
import { type AccountPrincipal, principalHeader } from '@tideport/contracts/principal'
import { AppError, unavailable } from '@tideport/service-kit/app-error'
import type { SignPrincipal } from '@tideport/service-kit/principal-token'
import { type TraceContext, traceHeaders } from '@tideport/service-kit/trace-context'
import type { Dispatcher } from 'undici'
import type { z } from 'zod'
import { type JsonAnswer, requestJson } from './request-json.ts'
import type { Upstream } from './upstream.ts'

const TIMEOUT_MS = 3000

/** What the gateway asks the auth service. All of it can be asked twice without harm. */
export interface AuthClient {
  /** Who holds the key with this SHA-256 digest (hex). Throws 401 with the reason. */
  verifyApiKey(digest: string, trace: TraceContext): Promise<AccountPrincipal>
  /** The account id of (issuer, subject), made on first sight. */
  resolveAccount(identity: { issuer: string; subject: string }, trace: TraceContext): Promise<string>
  /** The account with this id or, without one, the first. Throws 401 when there is none. */
  findAccount(accountId: string | undefined, trace: TraceContext): Promise<string>
}

/** When no auth process answers, everything here throws 503: an outage must never look like a wrong credential. */
export function createAuthClient(deps: { upstream: Upstream; sign: SignPrincipal }): AuthClient {
  return {
    verifyApiKey: async (digest, trace) =>
      verifyApiKey.success.schema.parse(await ask(deps, verifyApiKey, { digest }, trace)),
    async resolveAccount({ issuer, subject }, trace) {
      const answer = await ask(deps, resolveAccount, { issuer, subject }, trace)
      return resolveAccount.success.schema.parse(answer).accountId
    },
    async findAccount(accountId, trace) {
      const answer = await ask(deps, findAccount, { accountId }, trace)
      return findAccount.success.schema.parse(answer).accountId
    },
  }
}

async function ask<E extends Endpoint & { body: z.ZodObject }>(
  { upstream, sign }: { upstream: Upstream; sign: SignPrincipal },
  endpoint: E,
  body: z.input<E['body']>,
  trace: TraceContext,
): Promise<unknown> {
  const request: Dispatcher.DispatchOptions = {
    method: endpoint.method,
    path: endpoint.path,
    headers: {
      'content-type': 'application/json',
      [principalHeader]: await sign({ kind: 'gateway' }, 'auth'),
      ...traceHeaders(trace),
    },
    body: JSON.stringify(body),
    headersTimeout: TIMEOUT_MS,
    bodyTimeout: TIMEOUT_MS,
  }
  const { status, answer } = await send(upstream, request)
  if (status === endpoint.success.status) return answer
  throw toFailure(endpoint.errors, status, answer)
}

async function send(upstream: Upstream, request: Dispatcher.DispatchOptions): Promise<JsonAnswer> {
  let failure: unknown
  for (const pool of upstream.inTurn()) {
    try {
      return await requestJson(pool, request)
    } catch (error) {
      failure = error
    }
  }
  throw authUnavailable(failure)
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
