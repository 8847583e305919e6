import { startIdentityProvider } from '@tideport/testing/identity-provider'
import { expect } from 'vitest'
import { fetchJwks } from '../src/identity/fetch-jwks.ts'
import { createJwksCache } from '../src/identity/jwks-cache.ts'
import { createTokenCheck, type OperatorClaim } from '../src/identity/jwt.ts'

interface CheckOptions {
  jwksUrl?: string
  operatorClaim?: OperatorClaim
}

/** An identity provider, checks of its tokens, and what a token of it could say. Disposing stops it. */
export async function startTokens() {
  const provider = await startIdentityProvider()
  const { issuer, audience } = provider

  /** With a cache of its own; what it accepts is told by the subject it asked the account of. */
  function createCheck(options: CheckOptions = {}) {
    const source = { issuer, jwksUrl: options.jwksUrl }
    const keys = createJwksCache(issuer, (signal) => fetchJwks(source, signal))
    const ensureAccount = async (of: { issuer: string; subject: string }) => `${of.issuer} ${of.subject}`
    const algorithms = ['RS256', 'ES256', 'EdDSA']
    const check = createTokenCheck({
      issuer,
      audience,
      algorithms,
      keys,
      ensureAccount,
      operatorClaim: options.operatorClaim,
      now: Date.now,
    })
    return async (token: string) => (await check(token, '192.0.2.1')).principal
  }

  /** Of a token that it could have issued to `ann` just now. */
  const claims = (changes: object = {}) => ({
    iss: issuer,
    aud: audience,
    sub: 'ann',
    iat: nowSeconds(),
    exp: nowSeconds() + 300,
    ...changes,
  })

  return { provider, createCheck, claims, dispose: () => provider.dispose() }
}

export const nowSeconds = () => Math.floor(Date.now() / 1000)

export const refused = expect.objectContaining({ code: 'unauthenticated' })
