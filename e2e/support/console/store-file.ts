import type { ApiClient } from '../api-client.ts'
import type { FileRecord, Vault } from '../resources.ts'

interface StoredFile {
  path: string
  bytes: Buffer
  mimeType?: string
  query?: string
}

export async function storeFile(
  client: ApiClient,
  { path, bytes, mimeType, query = '' }: StoredFile,
): Promise<FileRecord> {
  const { body } = await client.get<{ vaults: Vault[] }>('/api/vaults')
  const vault = body.vaults.find(({ isDefault }) => isDefault) as Vault
  const place = path.split('/').map(encodeURIComponent).join('/')
  const response = await fetch(`${client.baseUrl}/api/vaults/${vault.id}/content/${place}${query}`, {
    method: 'PUT',
    headers: { ...client.identity, 'content-type': mimeType ?? 'text/plain' },
    body: new Uint8Array(bytes),
  })
  if (!response.ok) throw new Error(`Storing a file was answered ${response.status} ${await response.text()}`)
  return (await response.json()) as FileRecord
}
