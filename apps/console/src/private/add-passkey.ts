import type { Vault } from '@tideport/sdk'
import { keepPasskeyFile, type PasskeyFile } from '../kept/key-files.ts'
import { callWorker } from './call-worker.ts'
import { createPasskey, passkeyPort } from './passkey.ts'

/**
 * Makes a passkey, and has this browser keep the vault's key sealed for it; the vault has to be open. Rejects with a
 * `PasskeyError` or a `PrivateError`.
 */
export async function addPasskey({ id: vaultId, name }: Pick<Vault, 'id' | 'name'>): Promise<PasskeyFile> {
  const credentialId = await createPasskey(`Tideport: ${name}`)
  const passkey = passkeyPort(credentialId)
  const ageFile = await callWorker('seal', { vaultId, to: { passkey } }, [passkey])
  const file = { credentialId, ageFile }
  keepPasskeyFile(vaultId, file)
  return file
}
