import { hash } from 'node:crypto'
import { apiKeyPrefix, isWellFormedApiKey } from '@tideport/contracts/public/api-key-format'
import { outsideLimits } from '@tideport/service-kit/http/authorize'
import { isIn, type Network, parseAddress, readNetworks } from '@tideport/service-kit/http/ip-address'
import { createRememberedAnswers } from '@tideport/service-kit/process/remembered-answers'
import type { Metrics } from '@tideport/service-kit/telemetry/metrics'
import type { AuthClient } from './auth-client.ts'
import type { Caller } from './caller.ts'
import { isRefusal, unauthenticated, withoutReason } from './unauthenticated.ts'

interface ApiKeyCheckDeps {
  auth: AuthClient
  /** Longest time that a lookup is cached; 0 disables the cache. */
  keyAnswerSeconds: number
  metrics: Metrics
}

/**
 * Simultaneous requests share a lookup. Caches only valid keys, and only as long as a revocation waits (ADR 0022).
 */
export function createApiKeyCheck({ auth, keyAnswerSeconds, metrics }: ApiKeyCheckDeps) {
  const answers = createRememberedAnswers<Answer>({ mostMs: keyAnswerSeconds * 1000 })
  const count = metrics.counter({
    name: 'tideport_key_answers_total',
    help: 'Requests with an API key by how the key was checked: asked (lookup in auth) or remembered (cache)',
    labelNames: ['source'],
  })
  const [asked, remembered] = [count.labels('asked'), count.labels('remembered')]
  for (const source of [asked, remembered]) source.inc(0)

  async function ask(digest: string): Promise<Answer> {
    asked.inc()
    try {
      const { principal, addresses, life } = await auth.verifyApiKey(digest)
      const answer = { principal, networks: addresses && readNetworks(addresses), credential: { digest, life } }
      answers.remember(digest, answer, life)
      return answer
    } catch (error) {
      if (isRefusal(error)) answers.forget(digest)
      // A revoked or expired key gets its own error code, which only a client that has the key can see.
      throw withoutReason(error)
    }
  }

  async function answerOn(digest: string): Promise<Answer> {
    const known = answers.find(digest)
    if (known === undefined) return await ask(digest)
    remembered.inc()
    return known
  }

  return async (key: string, clientAddress: string): Promise<Caller> => {
    if (!isWellFormedApiKey(key)) throw unauthenticated()
    const { principal, networks, credential } = await answerOn(hash('sha256', key))
    if (networks !== null && !isWithin(clientAddress, networks)) {
      throw outsideLimits('The API key may not be used from this address', { limit: 'addresses' })
    }
    return { principal, credential }
  }
}

interface Answer extends Caller {
  /** Networks that the key may be used from; null: any. */
  networks: readonly Network[] | null
}

function isWithin(clientAddress: string, networks: readonly Network[]): boolean {
  const address = parseAddress(clientAddress)
  return address !== null && isIn(address, networks)
}

const API_KEY = new RegExp(`^bearer +${apiKeyPrefix}`, 'i')

export function looksLikeApiKey(authorization: string | undefined): authorization is string {
  return authorization !== undefined && API_KEY.test(authorization)
}
