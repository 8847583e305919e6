import { signal } from '@preact/signals'
import type { FileRecord, Vault } from '@tideport/sdk'
import { readKeyFile } from './key-files.ts'

const storageKey = 'tideport.private-vaults'
const keptMax = 1_000

const read = (): string[] => JSON.parse(localStorage.getItem(storageKey) ?? '[]')

/** Fields that only encrypted files have. A service that hides one of them may forget another. */
const encryptionFields = ['wrappedKey', 'encryptionIv', 'plaintextSizeBytes', 'plaintextChecksumSha256'] as const

/** Vaults of which a response once showed that they are private. This browser keeps them: no later response takes that back. */
const known = signal<ReadonlySet<string>>(new Set(read()))

// Other tabs note vaults, too.
addEventListener('storage', ({ key }) => {
  if (key === storageKey) known.value = new Set([...known.peek(), ...read()])
})

/** Whether only encrypted bytes may go into the vault, whatever visibility the service reports now. */
export const isPrivateVault = (vaultId: string): boolean => known.value.has(vaultId) || readKeyFile(vaultId) !== null

/** To be called with each response. A vault shows it by its visibility or its key, a file by its encryption fields. */
export function notePrivate(answer: object): void {
  const parts = [answer, ...Object.values(answer).flat()] as (Partial<Shown> | null)[]
  notePrivateVaults(parts.flatMap((part) => privateVaultIn(part ?? {}) ?? []))
}

export function notePrivateVaults(ids: readonly string[]): void {
  const found = ids.filter((id) => !known.peek().has(id))
  if (found.length === 0) return
  known.value = new Set([...known.peek(), ...found])
  // Other tabs may have noted others meanwhile.
  const kept = new Set([...read(), ...found])
  localStorage.setItem(storageKey, JSON.stringify([...kept].slice(-keptMax)))
}

type Shown = Pick<Vault, 'id' | 'visibility' | 'keyId'> &
  Pick<FileRecord, 'vaultId' | (typeof encryptionFields)[number]>

function privateVaultIn(part: Partial<Shown>): string | undefined {
  const { id, visibility, keyId, vaultId } = part
  if (visibility !== undefined) return visibility === 'private' || keyId != null ? id : undefined
  return encryptionFields.some((field) => part[field] != null) ? vaultId : undefined
}
