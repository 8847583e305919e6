import { LRUCache } from 'lru-cache'
import type { AuthClient } from './auth-client.ts'

const REMEMBERED_MAX = 50_000

/** An identity provider and its name for a person. */
export interface Identity {
  issuer: string
  subject: string
}

export type ResolveAccount = (identity: Identity) => Promise<string>

/** The account id of an identity. It never changes, so it is remembered; this says nothing about any credential. */
export function createResolveAccount({ auth }: { auth: AuthClient }): ResolveAccount {
  const known = new LRUCache<string, string>({ max: REMEMBERED_MAX })
  return async ({ issuer, subject }) => {
    const key = JSON.stringify([issuer, subject])
    const accountId = known.get(key) ?? (await auth.resolveAccount({ issuer, subject }))
    known.set(key, accountId)
    return accountId
  }
}
