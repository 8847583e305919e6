import { createLogger } from '@tideport/service-kit/logger'
import { Patience } from '@tideport/service-kit/patience'
import { newTrace } from '@tideport/service-kit/trace-context'
import type { IdentityProvider } from '@tideport/testing/identity-provider'
import { expect } from 'vitest'
import { fetchKeySet } from '../src/fetch-key-set.ts'
import { createTokenCheck } from '../src/jwt.ts'
import { createKeySetKeeper } from '../src/key-set-keeper.ts'

const log = createLogger({ service: 'test', level: 'silent' })

export interface CheckOptions {
  jwksUrl?: string
  /** How far the check's clock is ahead. */
  aheadMs?: () => number
}

/** Checks tokens of this provider with a keeper of its own; what it accepts is told by the subject it asked the account of. */
export function checkTokens({ issuer, audience }: IdentityProvider, options: CheckOptions = {}) {
  const now = () => Date.now() + (options.aheadMs?.() ?? 0)
  const source = { issuer, jwksUrl: options.jwksUrl }
  const keys = createKeySetKeeper({ fetchKeySet: () => fetchKeySet(source), now, log })
  const resolveAccount = async ({ issuer: from, subject }: { issuer: string; subject: string }) => `${from} ${subject}`
  const algorithms = ['RS256', 'ES256', 'EdDSA']
  const check = createTokenCheck({ issuer, audience, algorithms, keys, resolveAccount, now })
  return (token: string) => check(token, { trace: newTrace(), patience: new Patience(60_000) })
}

export const nowSeconds = () => Math.floor(Date.now() / 1000)

/** Of a token that this provider could have issued to `ann` just now. */
export const claimsFor = ({ issuer, audience }: IdentityProvider, changes: object = {}) => ({
  iss: issuer,
  aud: audience,
  sub: 'ann',
  iat: nowSeconds(),
  exp: nowSeconds() + 300,
  ...changes,
})

export const refused = expect.objectContaining({ code: 'unauthenticated' })
