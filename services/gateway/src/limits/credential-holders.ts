import { hash } from 'node:crypto'
import { LRUCache } from 'lru-cache'

const REMEMBERED_MAX = 100_000

/** The account that a credential was valid for, to find its limit before a lookup. It never admits anybody. */
export interface CredentialHolders {
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
