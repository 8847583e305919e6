import { createHash } from 'node:crypto'
import { type Client, download, type FileRecord } from '@tideport/sdk'
import { downloadPrivate, isPrivate, requireEncrypted, UnencryptedFileError } from '@tideport/sdk/crypto'
import type { Context } from '../grammar/context.ts'
import { findVaultOf, isExpectedPrivate } from '../remote/find-vault.ts'
import { openVault } from './open-vault.ts'

/** Contents as the owner sees them: plaintext for a private file. */
export interface Contents {
  sizeBytes: number
  /** Lowercase hexadecimal; null if unknown, as for private files, whose bytes are authenticated instead. */
  checksumSha256: string | null
  /** False for a file as an export or an S3 client has stored it. Only the service vouches for it. */
  isEncrypted: boolean
  open(from: number, signal: AbortSignal): Promise<AsyncIterable<Uint8Array>>
}

export type ReadContents = (file: FileRecord) => Promise<Contents>

/** For a private file, a claim of the uploader that `open` verifies. */
export const sizeOf = ({ wrappedKey, plaintextSizeBytes, sizeBytes }: FileRecord): number =>
  wrappedKey === null ? sizeBytes : (plaintextSizeBytes ?? sizeBytes)

export interface ReadOptions {
  encrypted?: boolean
  /** Also accepts files as exports and S3 clients have stored them. */
  unencrypted?: boolean
}

export const unencryptedOption = {
  type: 'boolean',
  summary: 'Also read files that exports or S3 clients stored, in private vaults without a key',
} as const

/** Reads files for their owner. Rejects for an unencrypted file of a private vault. */
export async function openContents(
  context: Context,
  client: Client,
  { encrypted = false, unencrypted = false }: ReadOptions = {},
): Promise<ReadContents> {
  return async (file) => {
    const isEncrypted = await checkFile(client, file, context.signal, unencrypted)
    if (file.wrappedKey !== null && !encrypted) {
      const vaultKey = await openVault(context, client, file.vaultId)
      const open: Contents['open'] = async (start, signal) =>
        (await downloadPrivate(client, file, { vaultKey, start, signal })).body
      return { sizeBytes: sizeOf(file), checksumSha256: null, isEncrypted, open }
    }
    const open: Contents['open'] = async (start, signal) => (await download(client, file, { start, signal })).body
    const { sizeBytes, checksumSha256 } = file
    return { sizeBytes, checksumSha256, isEncrypted, open }
  }
}

/** Reads all bytes. The download compares their SHA-256 with the stored one. */
export async function hashContents({ open }: Contents, signal: AbortSignal): Promise<string> {
  const hash = createHash('sha256')
  for await (const chunk of await open(0, signal)) hash.update(chunk)
  return hash.digest('hex')
}

/**
 * False for an unencrypted file of a private vault that `asStored` allows. Rejects for other ones.
 */
export async function checkFile(client: Client, file: FileRecord, signal: AbortSignal, asStored = false) {
  if (file.wrappedKey !== null) return true
  const vault = await findVaultOf(client, file.vaultId, signal)
  try {
    const mayBePlain = asStored && !isExpectedPrivate(client, file.vaultId)
    if (vault) requireEncrypted(file, vault, { asStored: mayBePlain })
  } catch (error) {
    if (!(error instanceof UnencryptedFileError) || asStored || vault?.keyId != null) throw error
    throw new Error(`${error.message}. To read it as stored, use --unencrypted`, { cause: error })
  }
  return !(vault && isPrivate(vault))
}
