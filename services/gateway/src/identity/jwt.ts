import { KeyObject } from 'node:crypto'
import { readCanonicalHeader, type TokenHeader } from '@tideport/service-kit/http/canonical-jwt'
import { isSignedBy, readClaims } from '@tideport/service-kit/http/token-signature'
import { AppError } from '@tideport/service-kit/process/app-error'
import type { CryptoKey, JWTPayload } from 'jose'
import * as errors from 'jose/errors'
import { z } from 'zod'
import type { Caller } from './caller.ts'
import type { EnsureAccount } from './ensure-account.ts'
import type { JwksCache } from './jwks-cache.ts'
import { unauthenticated } from './unauthenticated.ts'

const SKEW_SECONDS = 30

/** Providers also sign other tokens, such as logout tokens, which state their type (RFC 8725 §3.11, RFC 9068 §2.1). */
const accessTypes = new Set(['jwt', 'at+jwt', 'application/at+jwt'])

/** The `sub` claim: bounded, without characters that databases and logs cannot store. */
const subject = z.string().regex(/^[^\p{Cc}\p{Cs}]{1,512}$/u)

type Keys = Pick<JwksCache, 'getKey' | 'renew'>

/** In an operator's token, the claim equals or lists the value. */
export interface OperatorClaim {
  name: string
  value: string
}

interface TokenCheckOptions {
  issuer: string
  audience: string
  /** Asymmetric algorithms only. A token with any other `alg` is rejected. */
  algorithms: readonly string[]
  keys: Keys
  ensureAccount: EnsureAccount
  /** Undefined: nobody is an operator. */
  operatorClaim: OperatorClaim | undefined
  now: () => number
}

type VerifyOptions = Omit<TokenCheckOptions, 'ensureAccount' | 'operatorClaim'>

/** Checks a JWT of the one configured identity provider and finds its subject's account (spec §5). */
export function createTokenCheck({ issuer, ensureAccount, operatorClaim, ...options }: TokenCheckOptions) {
  return async (token: string, clientAddress: string): Promise<Caller> => {
    const claims = await verify(token, { issuer, ...options })
    const accountId = await ensureAccount({ issuer, subject: claims.sub, method: 'jwt', clientAddress })
    const principal = { kind: 'account', accountId, method: 'jwt', subject: claims.sub, scopes: null } as const
    const credential = { endsAtMs: ((claims.exp ?? 0) + SKEW_SECONDS) * 1000 }
    return {
      principal: isOperators(claims, operatorClaim) ? { ...principal, isOperator: true } : principal,
      credential,
    }
  }
}

/** Compares the complete signed value: a substring never makes a user an operator. */
function isOperators(claims: JWTPayload, claim: OperatorClaim | undefined): boolean {
  if (claim === undefined || !Object.hasOwn(claims, claim.name)) return false
  const found = claims[claim.name]
  return found === claim.value || (Array.isArray(found) && found.includes(claim.value))
}

/** Throws 401, or 503 when the key may exist but the provider is unavailable. */
async function verify(token: string, options: VerifyOptions): Promise<JWTPayload & { sub: string }> {
  const { issuer, audience, algorithms, keys, now } = options
  try {
    const header = readCanonicalHeader(token)
    if (!algorithms.includes(header.alg)) throw unauthenticated()
    await (header.kid === undefined ? checkByAny : checkByKnown)(token, header, keys)
    const claims = readClaims(token, {
      issuer,
      audience,
      requiredClaims: ['exp', 'sub'],
      clockTolerance: SKEW_SECONDS,
      currentDate: new Date(now()),
    })
    if (!accessTypes.has(header.typ?.toLowerCase() ?? 'jwt')) throw unauthenticated()
    if (claims.iat !== undefined && claims.iat > now() / 1000 + SKEW_SECONDS) throw unauthenticated()
    return { ...claims, sub: subject.parse(claims.sub) }
  } catch (error) {
    throw error instanceof AppError ? error : unauthenticated(error)
  }
}

/** A token without a key ID (RFC 7515 §4.1.4) may be signed with any key of its algorithm, including a new one. */
async function checkByAny(token: string, header: TokenHeader, keys: Keys): Promise<void> {
  try {
    await checkByKnown(token, header, keys)
  } catch (error) {
    if (!(error instanceof errors.JWSSignatureVerificationFailed) || !(await keys.renew())) throw error
    await checkByKnown(token, header, keys)
  }
}

/** jose selects the key. The signature is checked in this thread (ADR 0015). */
async function checkByKnown(token: string, { alg, kid }: TokenHeader, { getKey }: Keys): Promise<void> {
  const fitting = await findKeys(() => getKey({ alg, ...(kid !== undefined && { kid }) }))
  for await (const key of fitting) if (isSignedBy(token, alg, KeyObject.from(key))) return
  throw new errors.JWSSignatureVerificationFailed()
}

async function findKeys(find: () => Promise<CryptoKey>): Promise<AsyncIterable<CryptoKey> | CryptoKey[]> {
  try {
    return [await find()]
  } catch (error) {
    if (error instanceof errors.JWKSMultipleMatchingKeys) return error
    throw error
  }
}
