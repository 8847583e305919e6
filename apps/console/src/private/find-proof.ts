import { listFiles } from '@tideport/sdk'
import { client } from '../api/client.ts'
import type { Proof } from './protocol.ts'

/**
 * What tells which key is the vault's: the id that the vault has, or else one of its encrypted files. Null: there is no
 * key, or none was used. All files are looked through where clients that told no id made the key: those that the service
 * wrote are not encrypted, and there may be many.
 */
export async function findProof(vaultId: string, keyId: string | null): Promise<Proof> {
  if (keyId !== null) return { keyId }
  for await (const file of listFiles(client(), { vaultId, limit: 100, order: 'asc' })) {
    if (file.wrappedKey?.startsWith('tideport.')) return { file }
  }
  return null
}
