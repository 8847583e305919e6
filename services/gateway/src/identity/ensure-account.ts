import { LRUCache } from 'lru-cache'
import type { AuthClient } from './auth-client.ts'

const REMEMBERED_MAX = 50_000

type Login = Parameters<AuthClient['ensureAccount']>[0]

export type EnsureAccount = (login: Login) => Promise<string>

/** The account id of an identity. It never changes, so it is remembered; this says nothing about any credential. */
export function createEnsureAccount({ auth }: { auth: AuthClient }): EnsureAccount {
  const known = new LRUCache<string, string>({ max: REMEMBERED_MAX })
  return async (login) => {
    const key = JSON.stringify([login.issuer, login.subject])
    const accountId = known.get(key) ?? (await auth.ensureAccount(login))
    known.set(key, accountId)
    return accountId
  }
}
