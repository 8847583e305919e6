import { type Client, upload, type Vault } from '@tideport/sdk'
import { uploadPrivate } from '@tideport/sdk/crypto'
import { openFile } from '@tideport/sdk/node'
import { measure } from './measure-stream.ts'
import { readableBytes, startProgress } from './progress.ts'
import { createSealedVaultKey, type SealedVaultKey } from './sealed-vault-key.ts'

export interface Original {
  path: string
  mimeType: string
  sizeBytes: number
  sha256: string
}

/** `vaultKey` is null for a public file. */
export interface DemoFile {
  id: string
  visibility: Vault['visibility']
  original: Original
  vaultKey: SealedVaultKey | null
}

export async function uploadFile(client: Client, vault: Vault, original: Original): Promise<DemoFile> {
  const { visibility, id: vaultId } = vault
  const vaultKey = visibility === 'private' ? await createSealedVaultKey() : null
  const progress = startProgress('PUT', original.sizeBytes, process.stdout)
  await using source = await openFile(original.path)
  const options = {
    vaultId,
    mimeType: original.mimeType,
    onProgress: ({ sentBytes }: { sentBytes: number }) => progress.advance(sentBytes),
  }
  const { id } = vaultKey
    ? await uploadPrivate(client, source, { ...options, vaultKey: await vaultKey.open() })
    : await upload(client, source, options)
  progress.finish()
  return { id, visibility, original, vaultKey }
}

/** Throws unless the bytes are those of the original. */
export async function compare({ original }: DemoFile, body: Response['body']): Promise<void> {
  if (!body) throw new Error('A read returned no bytes')
  const read = await measure(body, startProgress('GET', original.sizeBytes, process.stdout))
  if (read.sha256 !== original.sha256)
    throw new Error(`The bytes read back (${readableBytes(read.sizeBytes)}) differ from the stored bytes`)
}
