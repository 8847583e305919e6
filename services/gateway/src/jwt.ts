import type { AccountPrincipal } from '@tideport/contracts/principal'
import { AppError } from '@tideport/service-kit/app-error'
import { errors, type JWTVerifyGetKey, type JWTVerifyOptions, type JWTVerifyResult, jwtVerify } from 'jose'
import { z } from 'zod'
import type { Asking } from './auth-client.ts'
import type { ResolveAccount } from './resolve-account.ts'
import { unauthenticated } from './unauthenticated.ts'

const SKEW_SECONDS = 30

/** A provider signs other things too, such as logout tokens: those say what they are (RFC 8725 §3.11, RFC 9068 §2.1). */
const accessTypes = new Set(['jwt', 'at+jwt', 'application/at+jwt'])

/** An account's name at its provider: bounded, and free of what databases and logs cannot hold. */
const subject = z.string().regex(/^[^\p{Cc}\p{Cs}]{1,512}$/u)

export interface TokenCheckOptions {
  issuer: string
  audience: string
  /** Asymmetric ones only; what a token's header says is believed as far as it is listed here. */
  algorithms: readonly string[]
  getKey: JWTVerifyGetKey
  resolveAccount: ResolveAccount
  /** Milliseconds. */
  now: () => number
}

/** Checks a JWT of the one configured identity provider and finds its subject's account (spec §5). */
export function createTokenCheck({ issuer, resolveAccount, ...options }: TokenCheckOptions) {
  return async (token: string, asking: Asking): Promise<AccountPrincipal> => {
    const accountId = await resolveAccount({ issuer, subject: await verify(token, { issuer, ...options }) }, asking)
    return { kind: 'account', accountId, method: 'jwt', scopes: null }
  }
}

/** The token's subject. Throws 401, or 503 when the provider's keys cannot be had at all. */
async function verify(token: string, options: Omit<TokenCheckOptions, 'resolveAccount'>): Promise<string> {
  const { issuer, audience, algorithms, getKey, now } = options
  try {
    const { payload, protectedHeader } = await verifyByAny(token, getKey, {
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

/** A token that names no key (RFC 7515 §4.1.4 lets it) may be signed with any of the provider's that fit its algorithm. */
async function verifyByAny(
  token: string,
  getKey: JWTVerifyGetKey,
  options: JWTVerifyOptions,
): Promise<JWTVerifyResult> {
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
    throw error
  }
}
