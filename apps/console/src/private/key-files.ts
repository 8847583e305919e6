import type { Vault } from '@tideport/sdk'

const keyOf = (vaultId: string) => `tideport.vault-key.${vaultId}`

/**
 * The age file of a vault's key as this browser keeps it: of no use to who has not the passphrase. The service has none
 * (docs/adr/0100).
 */
export const readKeyFile = (vaultId: string): string | null => localStorage.getItem(keyOf(vaultId))

export const keepKeyFile = (vaultId: string, ageFile: string): void => localStorage.setItem(keyOf(vaultId), ageFile)

/** As the command line names it, too: `diary_0190….age`. */
export const keyFileName = ({ slug, id }: Pick<Vault, 'slug' | 'id'>): string => `${slug}_${id}.age`

/** Gives a text to the browser's downloads. */
export function saveText(name: string, content: string): void {
  const url = URL.createObjectURL(new Blob([content], { type: 'application/octet-stream' }))
  const link = document.createElement('a')
  link.href = url
  link.download = name
  link.click()
  setTimeout(() => URL.revokeObjectURL(url), 60_000)
}
