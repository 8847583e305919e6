import { hash } from 'node:crypto'
import { LRUCache } from 'lru-cache'

const REMEMBERED_MAX = 100_000

/**
 * Whose a credential was when it was last good. That tells which account's limit a request counts against before
 * anybody is asked about it; it never lets anybody in.
 */
export interface CredentialHolders {
  /** The account's id, when this `Authorization` header was good before. */
  find(header: string | undefined): string | undefined
  remember(header: string | undefined, accountId: string): void
  forget(header: string | undefined): void
}

export function createCredentialHolders(): CredentialHolders {
  // By digest: a dump of this process's memory must not hold keys that nobody is using.
  const accountIds = new LRUCache<string, string>({ max: REMEMBERED_MAX })
  const digest = (header: string) => hash('sha256', header, 'base64url')
  return {
    find: (header) => (header === undefined ? undefined : accountIds.get(digest(header))),
    remember: (header, accountId) => void (header !== undefined && accountIds.set(digest(header), accountId)),
    forget: (header) => void (header !== undefined && accountIds.delete(digest(header))),
  }
}
