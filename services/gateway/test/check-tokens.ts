import { createLogger } from '@tideport/service-kit/telemetry/logger'
import { startIdentityProvider } from '@tideport/testing/identity-provider'
import { expect } from 'vitest'
import { fetchKeySet } from '../src/identity/fetch-key-set.ts'
import { createTokenCheck } from '../src/identity/jwt.ts'
import { createKeySetKeeper } from '../src/identity/key-set-keeper.ts'

const log = createLogger({ service: 'test', level: 'silent' })

interface CheckOptions {
  jwksUrl?: string
  /** How far the check's clock is ahead. */
  aheadMs?: () => number
}

/** An identity provider, checks of its tokens, and what a token of it could say. Disposing stops it. */
export async function startTokens() {
  const provider = await startIdentityProvider()
  const { issuer, audience } = provider

  /** With a keeper of its own; what it accepts is told by the subject it asked the account of. */
  function createCheck(options: CheckOptions = {}) {
    const now = () => Date.now() + (options.aheadMs?.() ?? 0)
    const source = { issuer, jwksUrl: options.jwksUrl }
    const keys = createKeySetKeeper({ fetchKeySet: () => fetchKeySet(source), now, log })
    const ensureAccount = async (of: { issuer: string; subject: string }) => `${of.issuer} ${of.subject}`
    const algorithms = ['RS256', 'ES256', 'EdDSA']
    const check = createTokenCheck({ issuer, audience, algorithms, keys, ensureAccount, now })
    return (token: string) => check(token, '192.0.2.1')
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
