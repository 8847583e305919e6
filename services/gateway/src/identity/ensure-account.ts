import { LRUCache } from 'lru-cache'
import type { AuthClient } from './auth-client.ts'

const REMEMBERED_MAX = 50_000

type Login = Parameters<AuthClient['ensureAccount']>[0]

export type EnsureAccount = (login: Login) => Promise<string>

/** Caches the account ID of an identity, which never changes. A cached ID does not make any credential valid. */
export function createEnsureAccount({ auth }: { auth: AuthClient }): EnsureAccount {
  const known = new LRUCache<string, string>({ max: REMEMBERED_MAX })
  return async (login) => {
    const key = JSON.stringify([login.issuer, login.subject])
    const accountId = known.get(key) ?? (await auth.ensureAccount(login))
    known.set(key, accountId)
    return accountId
  }
}
