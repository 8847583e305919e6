import type { FoundKey } from './find-key.ts'

export interface KeyRefusal {
  code: 'unauthenticated' | 'api_key_revoked' | 'api_key_expired'
  error: string
}

const unknown = { code: 'unauthenticated', error: 'The API key is not known' } as const
const revoked = { code: 'api_key_revoked', error: 'The API key has been revoked' } as const
const expired = { code: 'api_key_expired', error: 'The API key has expired' } as const

export function checkFound(found: FoundKey | undefined): { key: FoundKey } | { refusal: KeyRefusal } {
  if (found === undefined) return { refusal: unknown }
  if (found.isRevoked) return { refusal: revoked }
  return found.isExpired ? { refusal: expired } : { key: found }
}
