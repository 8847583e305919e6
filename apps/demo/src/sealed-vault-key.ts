import { createIdentity, createVaultKey, openVaultKey, sealVaultKey, type VaultKey } from '@tideport/sdk/crypto'

/** The key of a private vault in an age file, opened by the owner's identity. */
export interface SealedVaultKey {
  open: () => Promise<VaultKey>
}

export async function createSealedVaultKey(): Promise<SealedVaultKey> {
  const { identity, recipient } = await createIdentity()
  const ageFile = await sealVaultKey(createVaultKey(), { recipients: [recipient] })
  return { open: () => openVaultKey(ageFile, { identity }) }
}
