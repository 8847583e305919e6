import { hash } from 'node:crypto'
import type { AccountPrincipal } from '@tideport/contracts/internal/principal'
import { AppError, notFound } from '@tideport/service-kit/process/app-error'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { LRUCache } from 'lru-cache'
import { looksLikeApiKey } from '../identity/api-key.ts'
import type { Authenticate } from '../identity/authenticate.ts'
import type { Caller, Credential } from '../identity/caller.ts'
import type { Decisions } from '../identity/decisions.ts'
import { type FindSigner, type Signer, type SigningScope, scopeName } from '../identity/s3-key.ts'
import { isRefusal } from '../identity/unauthenticated.ts'
import { type AddressOfDeps, createAddressOf } from './client-address.ts'
import { createNewKeyThrottle } from './new-key-throttle.ts'
import { createRateLimiter, type RateLimit, type Verdict } from './rate-limit.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** Charges this request with additional requests. */
    charge: (requests: number) => void
    credential: Credential | null
    /** In milliseconds of `performance.now()`. */
    admittedAt: number
    clientAddress: string
    /** Set by `admitCountingRefusals`. Throws 429 instead of a refusal, after too many of them. */
    countRefusal: (() => void) | null
  }
}

interface AdmissionDeps extends AddressOfDeps {
  authenticate: Authenticate
  findSigner: FindSigner
  decisions: Decisions
  accountLimit: RateLimit
  anonymousLimit: RateLimit
  monotonicNow: () => number
}

type Limit = 'account' | 'address' | 'failures'

type Admit = (request: FastifyRequest, reply: FastifyReply) => Promise<void>

export interface Admission {
  /** For public endpoints: limits by address and ignores credentials. */
  admitAnyone: Admit
  /**
   * Sets `request.principal` and limits by account. For a known credential, the limit applies before the lookup, so
   * excess requests cause no lookup. Throws 401, 429, 503.
   */
  admitAccount: Admit
  /**
   * For endpoints that check a credential themselves: admits every request, and limits refusals by address, so that
   * they never lock out a valid credential (ADR 0021).
   */
  admitCountingRefusals: Admit
  /** Runs sign-ins of one address a few at a time. */
  signInOneByOne: (request: FastifyRequest, signIn: () => Promise<void>) => Promise<void>
  /** Like `admitAccount`. Non-operators get the same 404 as for an unknown path. */
  admitOperator: Admit
  /**
   * Like `admitAccount`, for a request with a SigV4 signature. `verify` throws if the signature is not of this signing key;
   * it is called for each key that may have made the signature. The account is charged only for correct signatures,
   * because access key IDs are no secret.
   */
  admitSigned: (
    request: FastifyRequest,
    reply: FastifyReply,
    scope: SigningScope,
    verify: (signingKey: Buffer) => void,
  ) => Promise<void>
}

export function createAdmission(deps: AdmissionDeps): Admission {
  const addressOf = createAddressOf(deps)
  const perAccount = createRateLimiter(deps.accountLimit, deps.monotonicNow)
  const perAddress = createRateLimiter(deps.anonymousLimit, deps.monotonicNow)
  // Separate from public reads, so that browsing never uses up the allowance for rejected credentials.
  const failuresPerAddress = createRateLimiter(deps.anonymousLimit, deps.monotonicNow)
  const holders = createCredentialHolders()
  const lookUpFirst = createNewKeyThrottle()
  const signInFirst = createNewKeyThrottle()
  const limited = deps.metrics.counter({
    name: 'tideport_rate_limited_total',
    help: 'Requests rejected with 429 by limit: account, address, or failures (rejected credentials of an address)',
    labelNames: ['limit'],
  })
  for (const limit of ['account', 'address', 'failures'] satisfies Limit[]) limited.labels(limit).inc(0)

  function meet(request: FastifyRequest): string {
    const { address, limitKey } = addressOf(request)
    request.clientAddress = address
    return limitKey
  }

  function refuse(verdict: Verdict | null, reply: FastifyReply, limit: Limit): void {
    if (verdict === null || verdict.isAllowed) return
    limited.labels(limit).inc()
    announce(verdict, reply)
    throw new AppError('rate_limited', 'Too many requests', { retryAfterSeconds: verdict.retryAfterSeconds })
  }

  /** Only failures count against the address and are limited. Failed attempts never lock out a valid credential. */
  async function identify(request: FastifyRequest, reply: FastifyReply, address: string): Promise<Caller> {
    const { authorization } = request.headers
    try {
      const caller = await deps.authenticate(request.raw, request.clientAddress)
      holders.remember(authorization, caller.principal.accountId)
      return caller
    } catch (error) {
      if (!isRefusal(error)) throw error
      holders.forget(authorization)
      refuse(failuresPerAddress.take(address), reply, 'failures')
      throw error
    }
  }

  function charge(accountId: string, reply: FastifyReply): void {
    const verdict = perAccount.take(accountId)
    announce(verdict, reply)
    refuse(verdict, reply, 'account')
  }

  /** Each scope counts as new, so that varied dates and regions cause no more lookups than varied keys. */
  async function findSigner({ raw }: FastifyRequest, address: string, scope: SigningScope): Promise<Signer> {
    const name = scopeName(scope)
    const find = () => deps.findSigner(scope)
    try {
      const isKnown = holders.find(name) !== undefined
      const signer = isKnown ? await find() : await lookUpFirst({ socket: raw.socket, address }, find)
      holders.remember(name, signer.principal.accountId)
      return signer
    } catch (error) {
      if (isRefusal(error)) holders.forget(name)
      throw error
    }
  }

  async function identifySigner(
    request: FastifyRequest,
    reply: FastifyReply,
    scope: SigningScope,
    verify: (signingKey: Buffer) => void,
  ): Promise<Caller> {
    const address = meet(request)
    let isVerifying = false
    try {
      const signer = await findSigner(request, address, scope)
      isVerifying = true
      assertSigned(signer, verify)
      signer.assertUsableFrom(request.clientAddress)
      deps.decisions.accept('s3')
      return signer
    } catch (error) {
      const isWrong = isVerifying || isRefusal(error)
      deps.decisions.fail('s3', error, isWrong)
      if (isWrong) refuse(failuresPerAddress.take(address), reply, 'failures')
      throw error
    }
  }

  async function admitAccount(request: FastifyRequest, reply: FastifyReply): Promise<AccountPrincipal> {
    const { authorization } = request.headers
    const address = meet(request)
    const isNew = () => looksLikeApiKey(authorization) && holders.find(authorization) === undefined
    let caller: Caller | undefined
    if (isNew()) {
      await lookUpFirst({ socket: request.raw.socket, address }, async () => {
        // Another request may have looked up the same key in the meantime.
        if (isNew()) caller = await identify(request, reply, address)
      })
    }
    const holder = caller?.principal.accountId ?? holders.find(authorization)
    if (holder !== undefined) charge(holder, reply)
    caller ??= await identify(request, reply, address)
    if (holder === undefined) charge(caller.principal.accountId, reply)
    admit(request, reply, caller)
    return caller.principal
  }

  function admit(request: FastifyRequest, reply: FastifyReply, { principal, credential }: Caller): void {
    request.principal = principal
    request.credential = credential
    request.admittedAt = performance.now()
    request.charge = (requests) => announce(perAccount.charge(principal.accountId, requests), reply)
  }

  return {
    async admitAnyone(request, reply) {
      const address = meet(request)
      refuse(perAddress.take(address), reply, 'address')
      request.charge = (requests) => void perAddress.charge(address, requests)
    },
    async admitCountingRefusals(request, reply) {
      const address = meet(request)
      request.charge = () => {}
      request.countRefusal = () => refuse(failuresPerAddress.take(address), reply, 'failures')
    },
    signInOneByOne: (request, signIn) =>
      signInFirst({ socket: request.raw.socket, address: addressOf(request).limitKey }, signIn),
    async admitAccount(request, reply) {
      await admitAccount(request, reply)
    },
    async admitOperator(request, reply) {
      const { isOperator } = await admitAccount(request, reply)
      if (!isOperator) throw notFound()
    },
    async admitSigned(request, reply, scope, verify) {
      const caller = await identifySigner(request, reply, scope, verify)
      charge(caller.principal.accountId, reply)
      admit(request, reply, caller)
    },
  }
}

function assertSigned({ signingKeys }: Signer, verify: (signingKey: Buffer) => void): void {
  let failure: unknown
  for (const signingKey of signingKeys) {
    try {
      verify(signingKey)
      return
    } catch (error) {
      failure = error
    }
  }
  throw failure
}

function announce(verdict: Verdict | null, reply: FastifyReply): void {
  if (verdict === null) return
  reply.headers({
    'ratelimit-limit': String(verdict.limit),
    'ratelimit-remaining': String(verdict.remaining),
    'ratelimit-reset': String(verdict.resetSeconds),
  })
}

const REMEMBERED_MAX = 100_000

/** The account of a previously valid credential, to apply its limit before a lookup. Never used to admit a request. */
interface CredentialHolders {
  find(header: string | undefined): string | undefined
  remember(header: string | undefined, accountId: string): void
  forget(header: string | undefined): void
}

function createCredentialHolders(): CredentialHolders {
  // By digest: a memory dump of this process must not contain keys that are not in use.
  const accountIds = new LRUCache<string, string>({ max: REMEMBERED_MAX })
  const digest = (header: string) => hash('sha256', header, 'base64url')
  return {
    find: (header) => (header === undefined ? undefined : accountIds.get(digest(header))),
    remember: (header, accountId) => void (header !== undefined && accountIds.set(digest(header), accountId)),
    forget: (header) => void (header !== undefined && accountIds.delete(digest(header))),
  }
}
