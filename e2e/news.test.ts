import { startReceiver } from '@tideport/testing/receiver'
import { waitFor } from '@tideport/testing/wait-for'
import { expect, test } from 'vitest'
import { createVault } from './support/account.ts'
import { freshAccount } from './support/shared-stack.ts'
import { uniqueBytes, uploadFile } from './support/uploads.ts'
import { createWebhook, eventsOf } from './support/webhook-events.ts'

const news = ['file.deleted', 'file.restored', 'file.purged', 'vault.created', 'vault.deleted', 'vault.restored']

test.concurrent('a subscribed webhook receives trash, restore, and purge events of files and vaults once', async () => {
  const client = freshAccount()
  await using all = await startReceiver()
  await using some = await startReceiver()
  await using none = await startReceiver()
  await createWebhook(client, all, news)
  await createWebhook(client, some, ['vault.deleted'])
  await createWebhook(client, none, ['file.error'])
  const vault = await createVault(client, 'public', 'Häfen')
  const { id: fileId } = await uploadFile(client, { vaultId: vault.id, bytes: uniqueBytes() })
  await client.delete(`/api/files/${fileId}`)
  await client.post(`/api/files/${fileId}/restore`)
  await client.delete(`/api/vaults/${vault.id}?force=true`)
  await client.post(`/api/vaults/${vault.id}/restore`)
  await client.delete(`/api/files/${fileId}?permanent=true`)
  // The first `vault.created` event is for the default vault.
  const expected = [...news, 'vault.created'].toSorted()
  await waitFor(() => all.requests.length >= expected.length, { what: 'all news', timeoutMs: 150_000 })
  await some.waitFor(() => true, { timeoutMs: 150_000 })
  const told = eventsOf(all)
  expect(told.map(({ event }) => event).toSorted()).toEqual(expected)
  const isOfDefault = ({ data }: (typeof told)[number]) => 'isDefault' in data && data.isDefault === true
  expect(told.filter(isOfDefault).map(({ event }) => event)).toEqual(['vault.created'])
  const about = (event: string) => told.find((one) => one.event === event && !isOfDefault(one))?.data
  expect(about('file.purged')).toMatchObject({ fileId, vaultId: vault.id, fileName: 'report.bin', sizeBytes: 2000 })
  expect(about('vault.created')).toMatchObject({ vaultId: vault.id, vaultName: 'Häfen', slug: 'hafen', fileCount: 0 })
  expect(about('vault.deleted')).toMatchObject({ vaultId: vault.id, fileCount: 1, storageBytes: 2000 })
  expect(eventsOf(some).map(({ event }) => event)).toEqual(['vault.deleted'])
  expect(none.requests).toEqual([])
})
