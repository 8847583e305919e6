import { ApiError, readVault, StateConflictError, updateVault } from '@tideport/sdk'
import { client } from '../api/client.ts'
import { forgetKeyFile, keepKeyFile, readKeyFile } from '../kept/key-files.ts'
import { callWorker, PrivateError } from './call-worker.ts'
import { findProof } from './find-proof.ts'
import { noteUnsaved } from './unsaved-key.ts'
import { noteOpen } from './vault-lock.ts'

/** Of something on the way, which says nothing of what the service did. */
const REQUEST_TIMEOUT = 408

/**
 * Makes the key of a vault that has none, keeps its age file here, and leaves it open. Rejects with a `PrivateError`
 * where it has one: of several browsers that make one at once the service takes that of the first.
 */
export async function createKey(vaultId: string, passphrase: string): Promise<void> {
  // One tab after the other: all of a browser keep the file in one place, and one that is refused would take away the other's.
  await navigator.locks.request(`tideport.vault-key.${vaultId}`, () => createAlone(vaultId, passphrase))
}

async function createAlone(vaultId: string, passphrase: string): Promise<void> {
  const { keyId: known } = await readVault(client(), { vaultId })
  // Another tab may have made it: what that encrypted needs it.
  if (readKeyFile(vaultId) !== null || (await findProof(vaultId, known)) !== null) throw hasKey()
  const { ageFile, keyId } = await callWorker('create', { vaultId, passphrase })
  // Before the service has its id: a vault whose key nobody has would be of no use.
  keepKeyFile(vaultId, ageFile)
  await updateVault(client(), { vaultId, keyId }).catch(async (error) => {
    await callWorker('close', { vaultId })
    // Where the service did not answer it may have been taken: the file stays, and opens the vault.
    if (error instanceof ApiError && error.status < 500 && error.status !== REQUEST_TIMEOUT) forgetKeyFile(vaultId)
    throw error instanceof StateConflictError ? hasKey() : error
  })
  noteUnsaved(vaultId)
  noteOpen(vaultId)
}

const hasKey = () => new PrivateError('has_key', 'The vault has a key')

const letters = 'abcdefghijkmnpqrstuvwxyz23456789'

/** Five groups of four letters, none of which look alike: a hundred bits. */
export function suggestPassphrase(): string {
  const drawn = crypto.getRandomValues(new Uint8Array(20))
  const text = Array.from(drawn, (byte) => letters[byte % letters.length]).join('')
  return (text.match(/.{4}/g) ?? []).join('-')
}
