import { listFiles } from '@tideport/sdk'
import { client } from '../api/client.ts'
import type { Proof } from './protocol.ts'

/**
 * Proves which key belongs to the vault: its key id, or else an encrypted file. Null without a key. Clients that set no
 * key id make this read all files, because files that the service wrote are not encrypted.
 */
export async function findProof(vaultId: string, keyId: string | null): Promise<Proof> {
  if (keyId !== null) return { keyId }
  for await (const file of listFiles(client(), { vaultId, limit: 100, order: 'asc' })) {
    if (file.wrappedKey?.startsWith('tideport.')) return { file }
  }
  return null
}
