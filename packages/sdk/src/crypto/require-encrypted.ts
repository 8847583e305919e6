import { ProtocolError } from '../errors/transfer-errors.ts'
import type { FileRecord, Vault } from '../generated/shapes.ts'
import { UnencryptedFileError } from './decryption-errors.ts'

/**
 * Whether clients encrypt the files of a vault. A vault with a key counts as private, even if the service reports it as
 * public.
 */
export const isPrivate = ({ visibility, keyId }: Pick<Vault, 'visibility' | 'keyId'>): boolean =>
  visibility !== 'public' || keyId != null

/**
 * Checks a file before it is read. Throws an `UnencryptedFileError` for an unencrypted file of a private vault, and a
 * `ProtocolError` for a file of another vault. `exports` allows the unencrypted files of an export.
 */
export function requireEncrypted(
  { path, vaultId, wrappedKey }: Pick<FileRecord, 'path' | 'vaultId' | 'wrappedKey'>,
  vault: Pick<Vault, 'id' | 'visibility' | 'keyId' | 'isExport'>,
  { exports = false }: { exports?: boolean } = {},
): void {
  if (vaultId !== vault.id) throw new ProtocolError('The service returned a file of another vault')
  if (wrappedKey !== null || !isPrivate(vault)) return
  const isExport = vault.isExport && vault.keyId == null
  if (!isExport) throw new UnencryptedFileError(`${path} is not encrypted, but its vault is private`)
  if (!exports) throw new UnencryptedFileError(`${path} is an unencrypted file that the service created for an export`)
}
