import { startIdentityProvider } from '@tideport/testing/identity-provider'
import { expect } from 'vitest'
import { fetchJwks } from '../src/identity/fetch-jwks.ts'
import { createJwksCache } from '../src/identity/jwks-cache.ts'
import { createTokenCheck, type OperatorClaim } from '../src/identity/jwt.ts'

interface CheckOptions {
  jwksUrl?: string
  operatorClaim?: OperatorClaim
}

/** An identity provider with checks and sample claims of its tokens. Disposal stops the provider. */
export async function startTokens() {
  const provider = await startIdentityProvider()
  const { issuer, audience } = provider

  /** A check with its own cache. The subject whose account it requested shows which token it accepted. */
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

  /** Claims of a token issued to `ann` now. */
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
