import { effect, signal } from '@preact/signals'
import type { Vault } from '@tideport/sdk'
import { keyFileName, readKeyFile, saveText } from '../kept/key-files.ts'
import { session } from '../session/session.ts'

type Named = Pick<Vault, 'id' | 'slug' | 'name'>

const keyOf = (vaultId: string) => `tideport.vault-key-unsaved.${vaultId}`

/** The vault whose recovery file only this browser has; null: none known. */
export const unsavedKey = signal<Named | null>(null)

export const isLeaving = signal(false)

// The next user must not see the vault's name.
effect(() => {
  if (session.value !== null) return
  unsavedKey.value = null
  isLeaving.value = false
})

// Another tab saved the file.
addEventListener('storage', ({ key, newValue }) => {
  const { value: vault } = unsavedKey
  if (vault !== null && key === keyOf(vault.id) && newValue === null) unsavedKey.value = null
})

export const noteUnsaved = (vaultId: string): void => localStorage.setItem(keyOf(vaultId), 'yes')

/** Call this when the vault is shown. From then on, leaving shows a warning. */
export function showIfUnsaved(vault: Named): void {
  if (localStorage.getItem(keyOf(vault.id)) !== null) unsavedKey.value = vault
}

export function noteSaved(vaultId: string): void {
  localStorage.removeItem(keyOf(vaultId))
  if (unsavedKey.peek()?.id === vaultId) unsavedKey.value = null
}

export function saveRecovery(vault: Named): void {
  const ageFile = readKeyFile(vault.id)
  if (ageFile === null) return
  saveText(keyFileName(vault), ageFile)
  noteSaved(vault.id)
}
