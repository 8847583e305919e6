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
 * `ProtocolError` for a file of another vault. In a vault without a key, `asStored` allows files as exports
 * and clients of the S3 API have stored them. Only the service vouches for their bytes.
 */
export function requireEncrypted(
  { path, vaultId, wrappedKey }: Pick<FileRecord, 'path' | 'vaultId' | 'wrappedKey'>,
  vault: Pick<Vault, 'id' | 'visibility' | 'keyId' | 'isExport'>,
  { asStored = false }: { asStored?: boolean } = {},
): void {
  if (vaultId !== vault.id) throw new ProtocolError('The service returned a file of another vault')
  if (wrappedKey !== null || !isPrivate(vault)) return
  const hasKey = vault.keyId != null
  if (asStored && !hasKey) return
  const isExport = vault.isExport && !hasKey
  if (!isExport) throw new UnencryptedFileError(`${path} is not encrypted by this client, but its vault is private`)
  throw new UnencryptedFileError(`${path} is an unencrypted file that the service created for an export`)
}
