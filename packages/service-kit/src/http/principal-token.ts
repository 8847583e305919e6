import { createPrivateKey, createPublicKey, hash, type JsonWebKey } from 'node:crypto'
import { type Principal, principal as principalSchema } from '@tideport/contracts/internal/principal'
import { LRUCache } from 'lru-cache'
import { unavailable } from '../process/app-error.ts'
import { readCanonicalHeader } from './canonical-jwt.ts'
import { isSignedBy, readClaims, signInput } from './token-signature.ts'

const ISSUER = 'gateway'
const ALGORITHM = 'EdDSA'
const LIFETIME_SECONDS = 60
const LEAST_LEFT_SECONDS = 20
const TOLERANCE_SECONDS = 30
const CACHED_TOKENS = 10_000

/** Creates the token that identifies the caller to one service: EdDSA, valid for 60 seconds. */
export type SignPrincipal = (principal: Principal, audience: string) => string

/** Throws 503 for an invalid token: the gateway has authenticated the caller, so keys or clocks differ (ADR 0021). */
export type VerifyPrincipal = (token: string) => Principal

interface SignerOptions {
  /** Ed25519 private key as a JSON JWK with a `kid`. */
  privateKey: string
  now?: () => number
}

/** Equal principals share a token until 20 seconds before it expires, so most requests need no signing. */
export function createPrincipalSigner({ privateKey, now = Date.now }: SignerOptions): SignPrincipal {
  const jwk = JSON.parse(privateKey) as JsonWebKey & { kid: string }
  const key = createPrivateKey({ key: jwk, format: 'jwk' })
  const tokens = new LRUCache<string, { token: string; reusableUntilMs: number }>({ max: CACHED_TOKENS })
  const header = encode({ alg: ALGORITHM, kid: jwk.kid })
  return (principal, audience) => {
    const cacheKey = `${audience} ${JSON.stringify(principal)}`
    const known = tokens.get(cacheKey)
    if (known !== undefined && now() < known.reusableUntilMs) return known.token
    const issuedAt = Math.floor(now() / 1000)
    const claims = { principal, iss: ISSUER, aud: audience, iat: issuedAt, exp: issuedAt + LIFETIME_SECONDS }
    const input = `${header}.${encode(claims)}`
    const token = `${input}.${signInput(input, key)}`
    tokens.set(cacheKey, { token, reusableUntilMs: (issuedAt + LIFETIME_SECONDS - LEAST_LEFT_SECONDS) * 1000 })
    return token
  }
}

interface VerifierOptions {
  /** Ed25519 public keys as a JSON JWKS, each with a `kid`. */
  publicKeys: string
  /** This service's name. */
  audience: string
  now?: () => number
}

export function createPrincipalVerifier({ publicKeys, audience, now = Date.now }: VerifierOptions): VerifyPrincipal {
  const { keys } = JSON.parse(publicKeys) as { keys: (JsonWebKey & { kid: string })[] }
  const keyOf = new Map(keys.map((key) => [key.kid, createPublicKey({ key, format: 'jwk' })]))
  const seen = new LRUCache<string, { principal: Principal; validUntilMs: number }>({ max: CACHED_TOKENS })

  function read(token: string): { principal: Principal; validUntilMs: number } {
    const { alg, kid = '' } = readCanonicalHeader(token)
    const key = keyOf.get(kid)
    if (alg !== ALGORITHM || key === undefined) throw new Error('No key of ours')
    if (!isSignedBy(token, ALGORITHM, key)) throw new Error('Not signed by its key')
    const claims = readClaims(token, {
      issuer: ISSUER,
      audience,
      requiredClaims: ['exp'],
      clockTolerance: TOLERANCE_SECONDS,
      currentDate: new Date(now()),
    })
    const principal = principalSchema.parse(claims['principal'])
    return { principal, validUntilMs: ((claims.exp ?? 0) + TOLERANCE_SECONDS) * 1000 }
  }

  return (token) => {
    const digest = hash('sha256', token, 'base64')
    const known = seen.get(digest)
    if (known !== undefined && now() < known.validUntilMs) return known.principal
    try {
      const found = read(token)
      seen.set(digest, found)
      return found.principal
    } catch (error) {
      throw unavailable('The service is temporarily unavailable', error)
    }
  }
}

const encode = (part: object) => Buffer.from(JSON.stringify(part)).toString('base64url')
