import { type Client, download, type FileRecord } from '@tideport/sdk'
import { downloadPrivate } from '@tideport/sdk/crypto'
import type { Context } from '../grammar/context.ts'
import { keptVaults } from '../profile/kept-vaults.ts'
import { openVault } from './open-vault.ts'

/** What a file holds for its owner: of a private one the plaintext. */
export interface Contents {
  sizeBytes: number
  /** In lower-case hexadecimal; null where nobody keeps it: of private files, whose bytes are authenticated instead. */
  checksumSha256: string | null
  /** False for a file in a private vault that the service made: nobody vouches for it but the service. */
  isEncrypted: boolean
  open(from: number, signal: AbortSignal): Promise<AsyncIterable<Uint8Array>>
}

export type ReadContents = (file: FileRecord) => Promise<Contents>

/** Of a private file it is the writer's word, which `open` proves. */
export const sizeOf = ({ wrappedKey, plaintextSizeBytes, sizeBytes }: FileRecord): number =>
  wrappedKey === null ? sizeBytes : (plaintextSizeBytes ?? sizeBytes)

/** Reads files for their owner; `encrypted`: as they are stored, without any key. */
export async function openContents(context: Context, client: Client, encrypted = false): Promise<ReadContents> {
  const privateIds = new Set((await keptVaults(context.environment, client.baseUrl)).map(({ id }) => id))
  return async (file) => {
    if (file.wrappedKey !== null && !encrypted) {
      const vaultKey = await openVault(context, client, file.vaultId)
      const open: Contents['open'] = async (start, signal) =>
        (await downloadPrivate(client, file, { vaultKey, start, signal })).body
      return { sizeBytes: sizeOf(file), checksumSha256: null, isEncrypted: true, open }
    }
    const isEncrypted = file.wrappedKey !== null || !privateIds.has(file.vaultId)
    if (!isEncrypted) context.output.complaint(`${file.path}: not encrypted; it is as the service made it`)
    const open: Contents['open'] = async (start, signal) => (await download(client, file, { start, signal })).body
    const { sizeBytes, checksumSha256 } = file
    return { sizeBytes, checksumSha256, isEncrypted, open }
  }
}
