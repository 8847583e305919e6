import { startReceiver } from '@tideport/testing/receiver'
import { expect, test } from 'vitest'
import { accountId, anonymous, createVault } from './support/account.ts'
import type { ApiClient } from './support/api-client.ts'
import { encryptionFields } from './support/encryption-fields.ts'
import { holdProcesses } from './support/hold-processes.ts'
import { fetchBytes, publicFileUrl } from './support/reading.ts'
import type { ErrorBody, FileRecord, PublicVault, Vault } from './support/resources.ts'
import { freshAccount, sharedStack } from './support/shared-stack.ts'
import { uniqueBytes, untilStatus, uploadFile } from './support/uploads.ts'
import { createWebhook, untilEvent } from './support/webhook-events.ts'

const change = (client: ApiClient, fileId: string, fields: object) =>
  client.patch<FileRecord & ErrorBody>(`/api/files/${fileId}`, fields)
const countsOf = async (client: ApiClient, vaultId: string) => {
  const { fileCount, storageBytes } = (await client.get<Vault>(`/api/vaults/${vaultId}`)).body
  return [fileCount, storageBytes]
}

test.concurrent('lists, responses, search, and events use the new name and vault of a renamed and moved file', async () => {
  const [client, bytes] = [freshAccount(), uniqueBytes(700)]
  await using receiver = await startReceiver()
  await createWebhook(client, receiver, ['file.cold'])
  await using held = await holdProcesses(sharedStack(), 'eviction')
  const [from, to] = [await createVault(client, 'public', 'From'), await createVault(client, 'public', 'To')]
  const { id } = await uploadFile(client, { vaultId: from.id, bytes, name: 'draft.txt', mimeType: 'text/plain' })
  await untilStatus(client, id, 'synced')

  const changed = await change(client, id, { name: 'Überblick №2.txt', vaultId: to.id })
  expect([changed.status, changed.body]).toMatchObject([200, { name: 'Überblick №2.txt', vaultId: to.id }])
  const listed = async ({ slug }: Vault) => {
    const path = `/api/public/vaults/${await accountId(client)}/${slug}`
    return (await anonymous(client).get<PublicVault>(path)).body.files.map(({ name }) => name)
  }
  expect([await listed(from), await listed(to)]).toEqual([[], ['Überblick №2.txt']])
  expect([await countsOf(client, from.id), await countsOf(client, to.id)]).toEqual([
    [0, 0],
    [1, 700],
  ])
  const found = async (q: string) => (await client.get<{ files: FileRecord[] }>(`/api/files?q=${q}`)).body.files.length
  expect([await found('draft'), await found(encodeURIComponent('ÜBER'))]).toEqual([0, 1])
  const served = await fetchBytes(publicFileUrl(client, id))
  expect(served.bytes).toEqual(bytes)
  expect(served.headers.get('content-disposition')).toContain("filename*=UTF-8''%C3%9Cberblick%20%E2%84%962.txt")

  await held.release('eviction')
  expect((await untilEvent(receiver, 'file.cold')).data).toMatchObject({ fileName: 'Überblick №2.txt', vaultId: to.id })
  expect((await fetchBytes(publicFileUrl(client, id))).bytes).toEqual(bytes)
})

test.concurrent('no change makes a private file public or a public file private', async () => {
  const client = freshAccount()
  const [open, closed] = [await createVault(client, 'public'), await createVault(client, 'private')]
  const publicFile = await uploadFile(client, { vaultId: open.id, bytes: uniqueBytes() })
  const secret = await uploadFile(client, { vaultId: closed.id, bytes: uniqueBytes(), more: encryptionFields() })
  for (const [id, vaultId] of [
    [publicFile.id, closed.id],
    [secret.id, open.id],
  ]) {
    const refused = await change(client, id as string, { vaultId })
    expect([refused.status, refused.body.code]).toEqual([409, 'visibility_mismatch'])
  }
  expect((await fetchBytes(publicFileUrl(client, secret.id))).status).toBe(404)
})
