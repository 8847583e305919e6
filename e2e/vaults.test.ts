import { expect, test } from 'vitest'
import { createVault } from './support/account.ts'
import { encryptionFields } from './support/encryption-fields.ts'
import { downloadBytes } from './support/reading.ts'
import type { ErrorBody, Vault } from './support/resources.ts'
import { freshAccount } from './support/shared-stack.ts'
import { uniqueBytes, uploadFile } from './support/uploads.ts'

test.concurrent('a vault is created, listed, changed, counted, trashed by force, and restored with its files', async () => {
  const client = freshAccount()
  const vault = await createVault(client, 'private', 'Häfen')
  expect(vault).toMatchObject({ visibility: 'private', slug: 'hafen', isDefault: false, fileCount: 0 })
  const path = `/api/vaults/${vault.id}`
  expect((await client.get(path)).body).toEqual(vault)
  const { body: listed } = await client.get<{ vaults: Vault[] }>('/api/vaults')
  expect(listed.vaults.map(({ name }) => name).toSorted()).toEqual(['Default', 'Häfen'])

  const change = (fields: object) => client.patch<Vault & ErrorBody>(path, fields)
  const renamed = await change({ name: 'Ports', description: 'About them' })
  expect(renamed.body).toMatchObject({ name: 'Ports', description: 'About them', slug: 'hafen' })
  for (const visibility of ['public', 'private', null]) {
    const refused = await change({ name: 'No', visibility })
    expect([refused.status, refused.body.code], String(visibility)).toEqual([400, 'validation_failed'])
  }
  expect((await client.get(path)).body).toEqual(renamed.body)

  const bytes = uniqueBytes(700)
  const { id } = await uploadFile(client, { vaultId: vault.id, bytes, more: encryptionFields() })
  expect((await client.get(path)).body).toMatchObject({ fileCount: 1, storageBytes: 700 })
  const { body: usage } = await client.get<{ days: object[] }>(`${path}/usage`)
  expect(usage.days.at(-1)).toMatchObject({ fileCount: 1, storageBytes: 700 })

  const refused = await client.delete<ErrorBody>(path)
  expect([refused.status, refused.body.code]).toEqual([409, 'vault_not_empty'])
  expect((await client.delete(`${path}?force=true`)).status).toBe(200)
  for (const gone of [path, `/api/files/${id}`]) expect((await client.get(gone)).status, gone).toBe(404)
  expect((await client.post(`${path}/restore`)).status).toBe(200)
  expect((await downloadBytes(client, id)).bytes).toEqual(bytes)
})
