import type { Config } from '@tideport/service-kit/config/config'
import { every } from '@tideport/service-kit/process/every'
import type { Log } from '@tideport/service-kit/telemetry/logger'
import type { Metrics } from '@tideport/service-kit/telemetry/metrics'
import { isDevelopment, type settings } from '../config.ts'
import { createApiKeyCheck } from './api-key.ts'
import type { AuthClient } from './auth-client.ts'
import { type AuthenticateDeps, countDecisions, createAuthenticate } from './authenticate.ts'
import { createDecisions } from './decisions.ts'
import { createDevHeaders } from './dev-headers.ts'
import { createEnsureAccount, type EnsureAccount } from './ensure-account.ts'
import { fetchJwks } from './fetch-jwks.ts'
import { createJwksCache } from './jwks-cache.ts'
import { createTokenCheck } from './jwt.ts'
import { countKeyAnswers } from './key-answers.ts'
import { createFindSigner } from './s3-key.ts'

const REFRESH_EVERY_MS = 5 * 60 * 1000
const DEVELOPMENT_ISSUER = 'development'

interface IdentityDeps {
  config: Config<typeof settings.shape>
  auth: AuthClient
  log: Log
  metrics: Metrics
  stack: AsyncDisposableStack
  signal: AbortSignal
}

export function createIdentity(deps: IdentityDeps) {
  const ensureAccount = createEnsureAccount(deps)
  const issuer = deps.config.identityProviderIssuer ?? DEVELOPMENT_ISSUER
  const { auth, metrics } = deps
  const keys = { auth, keyAnswerSeconds: deps.config.keyAnswerSeconds, count: countKeyAnswers(metrics) }
  const authenticate = createAuthenticate({
    checkApiKey: createApiKeyCheck(keys),
    checkJwt: providerTokenCheck(deps, ensureAccount),
    readDevHeaders: isDevelopment(deps.config.serviceEnv)
      ? createDevHeaders({ ...deps.config, auth: deps.auth, ensureAccount, issuer })
      : null,
  })
  const decisions = createDecisions(metrics)
  return { authenticate: countDecisions(authenticate, decisions), findSigner: createFindSigner(keys), decisions }
}

function providerTokenCheck(
  { config, log, stack, signal }: IdentityDeps,
  ensureAccount: EnsureAccount,
): AuthenticateDeps['checkJwt'] {
  const { identityProviderIssuer: issuer, identityProviderAudience: audience } = config
  if (issuer === undefined || audience === undefined) return null
  const source = { issuer, jwksUrl: config.identityProviderJwksUrl }
  const keys = createJwksCache(issuer, (signal) => fetchJwks(source, signal))
  stack.use(every(REFRESH_EVERY_MS, 'refresh identity provider keys', keys.refresh, { signal, log }))
  const algorithms = config.identityProviderAlgorithms
  const { operatorClaim } = config
  return createTokenCheck({ issuer, audience, algorithms, keys, ensureAccount, operatorClaim, now: Date.now })
}
