import { waitFor } from '@tideport/testing/wait-for'
import { expect, test } from 'vitest'
import { anonymous, createKey, createVault, withToken } from './support/account.ts'
import { readByEveryRoute } from './support/reading.ts'
import type { FileRecord } from './support/resources.ts'
import { freshAccount, sharedStack } from './support/shared-stack.ts'
import { hotCopies, networkCopies } from './support/stored-copies.ts'
import { uniqueBytes, untilStatus, uploadFile } from './support/uploads.ts'

test.concurrent('a trashed file is immediately hidden from all reads, restored unchanged, and deleted permanently with the trash', async () => {
  const [client, bytes] = [freshAccount(), uniqueBytes()]
  const { id: vaultId } = await createVault(client, 'public')
  const { id } = await uploadFile(client, { vaultId, bytes })
  const cold = await untilStatus(client, id, 'cold')
  const visitor = anonymous(client)
  const reads = async () => {
    const answers = await Promise.all([
      client.get(`/api/files/${id}`),
      client.get(`/api/files/${id}/download`),
      visitor.get(`/api/public/files/${id}`),
      visitor.get(`/api/public/blobs/${cold.storageNetworkBlobId}`),
    ])
    return answers.map(({ status }) => status)
  }
  const trash = async () => (await client.get<{ files: FileRecord[] }>('/api/trash')).body.files.map((file) => file.id)

  type Deleted = { deletedAt: string; purgeDueAt: string; networkCopy: string }
  const { body: deleted } = await client.delete<Deleted>(`/api/files/${id}`)
  expect(deleted).toMatchObject({ id, networkCopy: 'released' })
  expect(Date.parse(deleted.purgeDueAt) - Date.parse(deleted.deletedAt)).toBe(7 * 86_400_000)
  expect([await reads(), await trash()]).toEqual([[404, 404, 404, 404], [id]])
  expect((await client.post(`/api/files/${id}/restore`)).body).toMatchObject({ id, status: 'cold', deletedAt: null })
  expect(await readByEveryRoute(client, cold)).toEqual({ download: bytes, byId: bytes, byBlob: bytes })
  expect(await trash()).toEqual([])

  await client.delete(`/api/files/${id}`)
  const key = await createKey(client)
  const emptied = await withToken(client, key.key).delete('/api/trash')
  expect([emptied.status, emptied.body]).toEqual([200, { purgedFiles: 1, purgedVaults: 0 }])
  expect([await reads(), await trash()]).toEqual([[404, 404, 404, 404], []])
  const { body } = await client.get<{ events: object[] }>(`/api/account/file-events?subjectId=${id}`)
  expect(body.events[0]).toMatchObject({
    kind: 'file.purged',
    actor: { method: 'api_key', keyPrefix: key.keyPrefix },
    requestId: emptied.headers.get('x-request-id'),
  })
  const left = async () => [...(await hotCopies(sharedStack(), id)), ...(await networkCopies(sharedStack(), id))]
  await waitFor(async () => (await left()).length === 0, { what: 'every copy to go', timeoutMs: 150_000 })
})
