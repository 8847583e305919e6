import type { AccountPrincipal } from '@tideport/contracts/internal/principal'
import { AppError } from '@tideport/service-kit/process/app-error'
import { errors, type JWTVerifyOptions, type JWTVerifyResult, jwtVerify } from 'jose'
import { z } from 'zod'
import { readCanonicalHeader } from './canonical-jwt.ts'
import type { EnsureAccount } from './ensure-account.ts'
import type { JwksCache } from './jwks-cache.ts'
import { unauthenticated } from './unauthenticated.ts'

const SKEW_SECONDS = 30

/**
 * A provider signs other things too, such as logout tokens: those say what they are (RFC 8725 §3.11, RFC 9068 §2.1).
 */
const accessTypes = new Set(['jwt', 'at+jwt', 'application/at+jwt'])

/** An account's name at its provider: bounded, and free of what databases and logs cannot hold. */
const subject = z.string().regex(/^[^\p{Cc}\p{Cs}]{1,512}$/u)

type Keys = Pick<JwksCache, 'getKey' | 'renew'>

export interface TokenCheckOptions {
  issuer: string
  audience: string
  /** Asymmetric ones only; what a token's header says is believed as far as it is listed here. */
  algorithms: readonly string[]
  keys: Keys
  ensureAccount: EnsureAccount
  /** Milliseconds. */
  now: () => number
}

/** Checks a JWT of the one configured identity provider and finds its subject's account (spec §5). */
export function createTokenCheck({ issuer, ensureAccount, ...options }: TokenCheckOptions) {
  return async (token: string, clientAddress: string): Promise<AccountPrincipal> => {
    const subject = await verify(token, { issuer, ...options })
    const accountId = await ensureAccount({ issuer, subject, method: 'jwt', clientAddress })
    return { kind: 'account', accountId, method: 'jwt', subject, scopes: null }
  }
}

/**
 * The token's subject. Throws 401, or 503 when it may be signed with a key that the provider cannot be asked for now.
 */
async function verify(token: string, options: Omit<TokenCheckOptions, 'ensureAccount'>): Promise<string> {
  const { issuer, audience, algorithms, keys, now } = options
  try {
    const { kid } = readCanonicalHeader(token)
    const verifyToken = kid === undefined ? verifyByAny : verifyByKnown
    const { payload, protectedHeader } = await verifyToken(token, keys, {
      issuer,
      audience,
      algorithms: [...algorithms],
      requiredClaims: ['exp', 'sub'],
      clockTolerance: SKEW_SECONDS,
      currentDate: new Date(now()),
    })
    if (!accessTypes.has(protectedHeader.typ?.toLowerCase() ?? 'jwt')) throw unauthenticated()
    if (payload.iat !== undefined && payload.iat > now() / 1000 + SKEW_SECONDS) throw unauthenticated()
    return subject.parse(payload.sub)
  } catch (error) {
    throw error instanceof AppError ? error : unauthenticated(error)
  }
}

/**
 * A token that names no key (RFC 7515 §4.1.4 lets it) may be signed with any of the provider's that fit its algorithm,
 * also with one that is new.
 */
async function verifyByAny(token: string, keys: Keys, options: JWTVerifyOptions): Promise<JWTVerifyResult> {
  try {
    return await verifyByKnown(token, keys, options)
  } catch (error) {
    if (!(error instanceof errors.JWSSignatureVerificationFailed) || !(await keys.renew())) throw error
    return await verifyByKnown(token, keys, options)
  }
}

async function verifyByKnown(token: string, { getKey }: Keys, options: JWTVerifyOptions): Promise<JWTVerifyResult> {
  try {
    return await jwtVerify(token, getKey, options)
  } catch (error) {
    if (!(error instanceof errors.JWKSMultipleMatchingKeys)) throw error
    for await (const key of error) {
      try {
        return await jwtVerify(token, key, options)
      } catch (failure) {
        if (!(failure instanceof errors.JWSSignatureVerificationFailed)) throw failure
      }
    }
    throw new errors.JWSSignatureVerificationFailed()
  }
}
