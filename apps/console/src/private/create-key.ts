import { ApiError, readVault, StateConflictError, updateVault } from '@tideport/sdk'
import { client } from '../api/client.ts'
import { forgetKeyFile, keepKeyFile, readKeyFile } from '../kept/key-files.ts'
import { callWorker, PrivateError } from './call-worker.ts'
import { noteUnsaved } from './unsaved-key.ts'
import { findProof, noteOpen } from './vault-lock.ts'

/** A proxy may also return this status, so the service may have accepted the request. */
const REQUEST_TIMEOUT = 408

/**
 * Creates the key of a vault, keeps its age file, and leaves the vault open. Rejects with a `PrivateError` when the
 * vault has a key: the service accepts only the first.
 */
export async function createKey(vaultId: string, passphrase: string): Promise<void> {
  // Tabs share one place for the key file: a refused tab would remove the file of another.
  await navigator.locks.request(`tideport.vault-key.${vaultId}`, () => createAlone(vaultId, passphrase))
}

async function createAlone(vaultId: string, passphrase: string): Promise<void> {
  const { keyId: known } = await readVault(client(), { vaultId })
  // Another tab may have created the key and encrypted files with it.
  if (readKeyFile(vaultId) !== null || (await findProof(vaultId, known)) !== null) throw hasKey()
  const { ageFile, keyId } = await callWorker('create', { vaultId, passphrase })
  // Kept before the service gets the id: a vault whose key is lost would be useless.
  keepKeyFile(vaultId, ageFile)
  await updateVault(client(), { vaultId, keyId }).catch(async (error) => {
    await callWorker('close', { vaultId })
    // Without a response from the service, it may have accepted the key, so the file stays.
    if (error instanceof ApiError && error.status < 500 && error.status !== REQUEST_TIMEOUT) forgetKeyFile(vaultId)
    throw error instanceof StateConflictError ? hasKey() : error
  })
  noteUnsaved(vaultId)
  noteOpen(vaultId)
}

const hasKey = () => new PrivateError('has_key', 'The vault already has a key')

const letters = 'abcdefghijkmnpqrstuvwxyz23456789'

/** Five groups of four unambiguous letters: 100 bits. */
export function suggestPassphrase(): string {
  const drawn = crypto.getRandomValues(new Uint8Array(20))
  const text = Array.from(drawn, (byte) => letters[byte % letters.length]).join('')
  return (text.match(/.{4}/g) ?? []).join('-')
}
