/** Exports of `@tideport/sdk/crypto`: private vaults. docs/guides/private-files.md specifies the format. */
export { type Identities, readIdentities } from './age/identities.ts'
export type { Passkey, PrfValues } from './age/passkey.ts'
export { type KeyOpener, openVaultKey, type Recipients, sealVaultKey } from './age/vault-key-file.ts'
export { createIdentity, type Identity } from './age/x25519.ts'
export * from './crypto/decryption-errors.ts'
export { createVaultKey, type VaultKey, vaultKeyId } from './crypto/file-key.ts'
export {
  type EncryptionFields,
  encryptSource,
  type OpenPrivateFile,
  openPrivateFile,
  type ReadEncrypted,
} from './crypto/private-file.ts'
export {
  downloadPrivate,
  encryptionOfToken,
  type PrivateUploadManyOptions,
  type PrivateUploadOptions,
  rewrapFile,
  uploadManyPrivate,
  uploadPrivate,
} from './crypto/private-transfers.ts'
export { isPrivate, requireEncrypted } from './crypto/require-encrypted.ts'
