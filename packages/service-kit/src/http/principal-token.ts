import { createPrivateKey, hash, type JsonWebKey } from 'node:crypto'
import { type Principal, principal as principalSchema } from '@tideport/contracts/internal/principal'
import { createLocalJWKSet, type JSONWebKeySet, jwtVerify, SignJWT } from 'jose'
import { LRUCache } from 'lru-cache'
import { AppError } from '../process/app-error.ts'

const ISSUER = 'gateway'
const LIFETIME_SECONDS = 60
const LEAST_LEFT_SECONDS = 20
const TOLERANCE_SECONDS = 30
const CACHED_TOKENS = 10_000

/** Makes the token that tells one service who is calling: EdDSA, 60 seconds, only for that service. */
export type SignPrincipal = (principal: Principal, audience: string) => Promise<string>

/** Reads such a token. Throws `AppError('unauthenticated')` for anything it did not expect. */
export type VerifyPrincipal = (token: string) => Promise<Principal>

export interface SignerOptions {
  /** Ed25519 private key as a JWK with a `kid`, JSON. */
  privateKey: string
  now?: () => number
}

/** Equal principals share a token while it has 20 seconds left, so most requests sign nothing. */
export function createPrincipalSigner({ privateKey, now = Date.now }: SignerOptions): SignPrincipal {
  const jwk = JSON.parse(privateKey) as JsonWebKey & { kid: string }
  const key = createPrivateKey({ key: jwk, format: 'jwk' })
  const tokens = new LRUCache<string, { token: string; reusableUntilMs: number }>({ max: CACHED_TOKENS })
  return async (principal, audience) => {
    const cacheKey = `${audience} ${JSON.stringify(principal)}`
    const known = tokens.get(cacheKey)
    if (known !== undefined && now() < known.reusableUntilMs) return known.token
    const issuedAt = Math.floor(now() / 1000)
    const token = await new SignJWT({ principal })
      .setProtectedHeader({ alg: 'EdDSA', kid: jwk.kid })
      .setIssuer(ISSUER)
      .setAudience(audience)
      .setIssuedAt(issuedAt)
      .setExpirationTime(issuedAt + LIFETIME_SECONDS)
      .sign(key)
    tokens.set(cacheKey, { token, reusableUntilMs: (issuedAt + LIFETIME_SECONDS - LEAST_LEFT_SECONDS) * 1000 })
    return token
  }
}

export interface VerifierOptions {
  /** Ed25519 public keys as a JWKS, JSON; each with a `kid`. */
  publicKeys: string
  /** This service's name. */
  audience: string
  now?: () => number
}

export function createPrincipalVerifier({ publicKeys, audience, now = Date.now }: VerifierOptions): VerifyPrincipal {
  const keySet = createLocalJWKSet(JSON.parse(publicKeys) as JSONWebKeySet)
  const seen = new LRUCache<string, { principal: Principal; validUntilMs: number }>({ max: CACHED_TOKENS })
  return async (token) => {
    const digest = hash('sha256', token, 'base64')
    const known = seen.get(digest)
    if (known !== undefined && now() < known.validUntilMs) return known.principal
    try {
      const { payload } = await jwtVerify(token, keySet, {
        issuer: ISSUER,
        audience,
        algorithms: ['EdDSA'],
        requiredClaims: ['exp'],
        clockTolerance: TOLERANCE_SECONDS,
        currentDate: new Date(now()),
      })
      const principal = principalSchema.parse(payload.principal)
      seen.set(digest, { principal, validUntilMs: ((payload.exp ?? 0) + TOLERANCE_SECONDS) * 1000 })
      return principal
    } catch (error) {
      throw new AppError('unauthenticated', 'Not authenticated', { cause: error })
    }
  }
}
