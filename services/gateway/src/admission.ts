import { postgresWaitMs } from '@tideport/contracts/postgres-wait'
import { AppError } from '@tideport/service-kit/app-error'
import { Patience } from '@tideport/service-kit/patience'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Authenticate } from './authenticate.ts'
import { createClientAddress } from './client-address.ts'
import { createRateLimiter, type RateLimit, type Verdict } from './rate-limit.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** From admission on: spent on whom the request comes from, the rest is its service's. */
    patience: Patience
  }
}

export interface AdmissionDeps {
  authenticate: Authenticate
  accountLimit: RateLimit
  anonymousLimit: RateLimit
  trustedProxies: readonly string[]
  /** Milliseconds, never going back. */
  monotonicNow: () => number
}

type Admit = (request: FastifyRequest, reply: FastifyReply) => Promise<void>

export interface Admission {
  /** For public endpoints: limited by address. Credentials are not looked at. */
  admitAnyone: Admit
  /** For all others: sets `request.principal`, limited by account. Throws 401, 429, 503. */
  admitAccount: Admit
}

/** Who may come in, and how often. Runs before any body is read. */
export function createAdmission(deps: AdmissionDeps): Admission {
  const clientAddress = createClientAddress(deps.trustedProxies)
  const perAccount = createRateLimiter(deps.accountLimit, deps.monotonicNow)
  const perAddress = createRateLimiter(deps.anonymousLimit, deps.monotonicNow)
  // Apart from public reads, so that browsing never locks the accounts behind the same address out.
  const failuresPerAddress = createRateLimiter(deps.anonymousLimit, deps.monotonicNow)

  function addressOf(request: FastifyRequest): string {
    const forwardedFor = request.headers['x-forwarded-for']
    return clientAddress(request.raw.socket.remoteAddress ?? '::', forwardedFor?.toString())
  }

  return {
    async admitAnyone(request, reply) {
      request.patience = new Patience(postgresWaitMs)
      refuse(perAddress.take(addressOf(request)), reply)
    },
    async admitAccount(request, reply) {
      request.patience = new Patience(postgresWaitMs)
      const address = addressOf(request)
      refuse(failuresPerAddress.peek(address), reply)
      try {
        request.principal = await deps.authenticate(request.raw, request)
      } catch (error) {
        if (isRefusal(error)) failuresPerAddress.take(address)
        throw error
      }
      const verdict = perAccount.take(request.principal.accountId)
      announce(verdict, reply)
      refuse(verdict, reply)
    },
  }
}

function refuse(verdict: Verdict | null, reply: FastifyReply): void {
  if (verdict === null || verdict.isAllowed) return
  announce(verdict, reply)
  throw new AppError('rate_limited', 'Too many requests', { retryAfterSeconds: verdict.retryAfterSeconds })
}

function announce(verdict: Verdict | null, reply: FastifyReply): void {
  if (verdict === null) return
  reply.headers({
    'ratelimit-limit': String(verdict.limit),
    'ratelimit-remaining': String(verdict.remaining),
    'ratelimit-reset': String(verdict.resetSeconds),
  })
}

/** A wrong credential, as opposed to an outage. */
function isRefusal(error: unknown): boolean {
  return error instanceof AppError && error.code !== 'unavailable'
}
