import type { Vault } from '@tideport/sdk'
import { saveBlob } from './save-blob.ts'

const keyOf = (vaultId: string) => `tideport.vault-key.${vaultId}`

/** The age file of a vault's key, sealed with the passphrase. The service has no copy (ADR 0027). */
export const readKeyFile = (vaultId: string): string | null => localStorage.getItem(keyOf(vaultId))

export const keepKeyFile = (vaultId: string, ageFile: string): void => localStorage.setItem(keyOf(vaultId), ageFile)

export const forgetKeyFile = (vaultId: string): void => localStorage.removeItem(keyOf(vaultId))

/** The same key, sealed for a passkey. `credentialId` is null for a file from another browser. */
export interface PasskeyFile {
  credentialId: string | null
  ageFile: string
}

const passkeyKeyOf = (vaultId: string) => `tideport.vault-passkey.${vaultId}`

export const readPasskeyFile = (vaultId: string): PasskeyFile | null =>
  JSON.parse(localStorage.getItem(passkeyKeyOf(vaultId)) ?? 'null')

export const keepPasskeyFile = (vaultId: string, file: PasskeyFile): void =>
  localStorage.setItem(passkeyKeyOf(vaultId), JSON.stringify(file))

export const forgetPasskeyFile = (vaultId: string): void => localStorage.removeItem(passkeyKeyOf(vaultId))

/** The command line uses the same name: `diary_0190….age`. */
export const keyFileName = ({ slug, id }: Pick<Vault, 'slug' | 'id'>): string => `${slug}_${id}.age`

export const passkeyFileName = ({ slug, id }: Pick<Vault, 'slug' | 'id'>): string => `${slug}_${id}.passkey.age`

export const saveText = (name: string, content: string): void =>
  saveBlob(name, new Blob([content], { type: 'application/octet-stream' }))
