import { signal } from '@preact/signals'
import { readKeyFile } from './key-files.ts'

const storageKey = 'tideport.private-vaults'
const keptMax = 1_000

const read = (): string[] => JSON.parse(localStorage.getItem(storageKey) ?? '[]')

/** Vaults of which a response once showed that they are private. This browser keeps them: no later response takes that back. */
const known = signal<ReadonlySet<string>>(new Set(read()))

/** Whether only encrypted bytes may go into the vault, whatever visibility the service reports now. */
export const isPrivateVault = (vaultId: string): boolean => known.value.has(vaultId) || readKeyFile(vaultId) !== null

/** To be called with each response. A vault shows it by its visibility or its key, a file by its wrapped key. */
export function notePrivate(answer: object): void {
  const parts = [answer, ...Object.values(answer).flat()] as (Partial<Shown> | null)[]
  const found = parts.flatMap((part) => privateVaultIn(part ?? {}) ?? []).filter((id) => !known.peek().has(id))
  if (found.length === 0) return
  known.value = new Set([...known.peek(), ...found])
  // Other tabs may have noted others meanwhile.
  const kept = new Set([...read(), ...found])
  localStorage.setItem(storageKey, JSON.stringify([...kept].slice(-keptMax)))
}

interface Shown {
  id: string
  visibility: string
  keyId: string | null
  vaultId: string
  wrappedKey: string | null
}

function privateVaultIn({ id, visibility, keyId, vaultId, wrappedKey }: Partial<Shown>): string | undefined {
  if (visibility !== undefined) return visibility === 'private' || keyId != null ? id : undefined
  return wrappedKey != null ? vaultId : undefined
}
