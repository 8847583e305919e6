import { hash } from 'node:crypto'
import type { AccountPrincipal } from '@tideport/contracts/internal/principal'
import { apiKeyPrefix, isWellFormedApiKey } from '@tideport/contracts/public/api-key-format'
import { AppError } from '@tideport/service-kit/process/app-error'
import type { AuthClient } from './auth-client.ts'
import { unauthenticated } from './unauthenticated.ts'

/**
 * Asks auth about a key on every request; those that come at once share a question. Nothing is remembered of keys that
 * were good, so a revocation holds from the next request on, whichever gateway takes it. What is no key at all costs no
 * look-up.
 */
export function createApiKeyCheck({ auth }: { auth: AuthClient }) {
  return async (key: string): Promise<AccountPrincipal> => {
    if (!isWellFormedApiKey(key)) throw unauthenticated()
    try {
      return await auth.verifyApiKey(hash('sha256', key))
    } catch (error) {
      // Unknown keys look like every other wrong credential; only a key's owner can learn that it was revoked.
      if (error instanceof AppError && error.code === 'unauthenticated') throw unauthenticated(error)
      throw error
    }
  }
}

const API_KEY = new RegExp(`^bearer +${apiKeyPrefix}`, 'i')

/** Whether auth is asked about it every time; a token of the identity provider is checked here. */
export function looksLikeApiKey(authorization: string | undefined): authorization is string {
  return authorization !== undefined && API_KEY.test(authorization)
}
