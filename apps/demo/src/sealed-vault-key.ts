import { createIdentity, createVaultKey, openVaultKey, sealVaultKey, type VaultKey } from '@tideport/sdk/crypto'

/** The key of a private vault as its owner keeps it: as an age file, which the owner's identity opens. */
export interface SealedVaultKey {
  open: () => Promise<VaultKey>
}

export async function createSealedVaultKey(): Promise<SealedVaultKey> {
  const { identity, recipient } = await createIdentity()
  const ageFile = await sealVaultKey(createVaultKey(), { recipients: [recipient] })
  return { open: () => openVaultKey(ageFile, { identity }) }
}
