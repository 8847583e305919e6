import { signal } from '@preact/signals'
import type { FileRecord, Vault } from '@tideport/sdk'
import { readKeyFile } from './key-files.ts'

const storageKey = 'tideport.private-vaults'
const keptMax = 1_000

const read = (): string[] => JSON.parse(localStorage.getItem(storageKey) ?? '[]')

/** Fields that only encrypted files have. A dishonest service that hides one field may forget another. */
const encryptionFields = ['wrappedKey', 'encryptionIv', 'plaintextSizeBytes', 'plaintextChecksumSha256'] as const

/** Vaults that a response has reported as private. Later responses cannot revert this. */
const known = signal<ReadonlySet<string>>(new Set(read()))

// Other tabs may add vaults.
addEventListener('storage', ({ key }) => {
  if (key === storageKey) known.value = new Set([...known.peek(), ...read()])
})

/** Whether only encrypted bytes may go into the vault, whatever visibility the service reports. */
export const isPrivateVault = (vaultId: string): boolean => known.value.has(vaultId) || readKeyFile(vaultId) !== null

/** Call this with each response. A vault is private by its visibility or key, a file by its encryption fields. */
export function notePrivate(answer: object): void {
  const parts = [answer, ...Object.values(answer).flat()] as (Partial<Shown> | null)[]
  notePrivateVaults(parts.flatMap((part) => privateVaultIn(part ?? {}) ?? []))
}

export function notePrivateVaults(ids: readonly string[]): void {
  const found = ids.filter((id) => !known.peek().has(id))
  if (found.length === 0) return
  known.value = new Set([...known.peek(), ...found])
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
