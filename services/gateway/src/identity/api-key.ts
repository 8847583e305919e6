import { hash } from 'node:crypto'
import type { AccountPrincipal } from '@tideport/contracts/internal/principal'
import { apiKeyPrefix, isWellFormedApiKey } from '@tideport/contracts/public/api-key-format'
import { AppError } from '@tideport/service-kit/process/app-error'
import { createRememberedAnswers } from '@tideport/service-kit/process/remembered-answers'
import type { Metrics } from '@tideport/service-kit/telemetry/metrics'
import type { AuthClient } from './auth-client.ts'
import { isRefusal, unauthenticated } from './unauthenticated.ts'

export interface ApiKeyCheckDeps {
  auth: AuthClient
  /** How long an answer is used at most; 0: each request asks. */
  keyAnswerSeconds: number
  metrics: Metrics
}

/**
 * Asks auth about a key unless that was just asked; those that come at once share a question. Only that a key was good
 * is remembered, and for so short that a revocation waits for it (docs/adr/0064): it holds from its answer on, whichever
 * gateway takes the next request. What is no key at all costs no look-up.
 */
export function createApiKeyCheck({ auth, keyAnswerSeconds, metrics }: ApiKeyCheckDeps) {
  const answers = createRememberedAnswers<AccountPrincipal>({ mostMs: keyAnswerSeconds * 1000 })
  const count = metrics.counter({
    name: 'tideport_key_answers_total',
    help: 'Requests with an API key by where the answer about it is from: asked of auth, or remembered',
    labelNames: ['source'],
  })
  const [asked, remembered] = [count.labels('asked'), count.labels('remembered')]
  for (const source of [asked, remembered]) source.inc(0)

  async function ask(digest: string): Promise<AccountPrincipal> {
    asked.inc()
    try {
      const { principal, life } = await auth.verifyApiKey(digest)
      answers.remember(digest, principal, life)
      return principal
    } catch (error) {
      if (isRefusal(error)) answers.forget(digest)
      // Unknown keys look like every other wrong credential; only a key's owner can learn that it was revoked.
      if (error instanceof AppError && error.code === 'unauthenticated') throw unauthenticated(error)
      throw error
    }
  }

  return async (key: string): Promise<AccountPrincipal> => {
    if (!isWellFormedApiKey(key)) throw unauthenticated()
    const digest = hash('sha256', key)
    const known = answers.find(digest)
    if (known === undefined) return await ask(digest)
    remembered.inc()
    return known
  }
}

const API_KEY = new RegExp(`^bearer +${apiKeyPrefix}`, 'i')

/** Whether auth is asked about it; a token of the identity provider is checked here. */
export function looksLikeApiKey(authorization: string | undefined): authorization is string {
  return authorization !== undefined && API_KEY.test(authorization)
}
