import { effect, signal } from '@preact/signals'
import type { Vault } from '@tideport/sdk'
import { keyFileName, readKeyFile, saveText } from '../kept/key-files.ts'
import { session } from '../session/session.ts'

type Named = Pick<Vault, 'id' | 'slug' | 'name'>

const keyOf = (vaultId: string) => `tideport.vault-key-unsaved.${vaultId}`

/** The vault whose recovery file this browser alone has, as far as it knows; null: none that this tab has shown. */
export const unsavedKey = signal<Named | null>(null)

/** Somebody is about to sign out. */
export const isLeaving = signal(false)

// Its name is for nobody who signs in next.
effect(() => {
  if (session.value !== null) return
  unsavedKey.value = null
  isLeaving.value = false
})

// Saved in another tab.
addEventListener('storage', ({ key, newValue }) => {
  const { value: vault } = unsavedKey
  if (vault !== null && key === keyOf(vault.id) && newValue === null) unsavedKey.value = null
})

/** Over a reload as well. */
export const noteUnsaved = (vaultId: string): void => localStorage.setItem(keyOf(vaultId), 'yes')

/** To be called when the vault is shown: from now on nobody leaves without a warning. */
export function showIfUnsaved(vault: Named): void {
  if (localStorage.getItem(keyOf(vault.id)) !== null) unsavedKey.value = vault
}

/** The file was saved, or its reader says so. */
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
