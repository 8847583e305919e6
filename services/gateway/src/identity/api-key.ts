import { hash } from 'node:crypto'
import { apiKeyPrefix, isWellFormedApiKey } from '@tideport/contracts/public/api-key-format'
import type { AuthClient } from './auth-client.ts'
import type { Caller } from './caller.ts'
import { assertUsableFrom, type CountKeyAnswer, createKeyAnswers } from './key-answers.ts'
import { unauthenticated } from './unauthenticated.ts'

interface ApiKeyCheckDeps {
  auth: AuthClient
  keyAnswerSeconds: number
  count: CountKeyAnswer
}

/** Simultaneous requests share a lookup. */
export function createApiKeyCheck({ auth, ...options }: ApiKeyCheckDeps) {
  const answerOn = createKeyAnswers(options)
  return async (key: string, clientAddress: string): Promise<Caller> => {
    if (!isWellFormedApiKey(key)) throw unauthenticated()
    const digest = hash('sha256', key)
    const { principal, networks, life } = await answerOn(digest, () => auth.verifyApiKey(digest))
    assertUsableFrom(clientAddress, networks)
    return { principal, credential: { digest, life } }
  }
}

const API_KEY = new RegExp(`^bearer +${apiKeyPrefix}`, 'i')

export function looksLikeApiKey(authorization: string | undefined): authorization is string {
  return authorization !== undefined && API_KEY.test(authorization)
}
