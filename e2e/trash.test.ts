import { waitFor } from '@tideport/testing/wait-for'
import { expect, test } from 'vitest'
import { anonymous, createVault } from './support/account.ts'
import { holdProcesses } from './support/hold-processes.ts'
import { readByEveryRoute } from './support/reading.ts'
import type { ErrorBody, FileRecord, Status, Upload, Vault } from './support/resources.ts'
import { freshAccount, sharedStack } from './support/shared-stack.ts'
import { hotCopies, networkCopies, openUploads } from './support/stored-copies.ts'
import { putBytes, readFile, requestUpload, uniqueBytes, untilStatus, uploadFile } from './support/uploads.ts'

const nothingLeft = (fileId: string) =>
  waitFor(
    async () => {
      const copies = [...(await hotCopies(sharedStack(), fileId)), ...(await networkCopies(sharedStack(), fileId))]
      return copies.length === 0
    },
    { what: 'every copy to go', timeoutMs: 150_000 },
  )

test.concurrent('a deleted file is gone from every read at once, comes back as it was, and goes for good', async () => {
  const client = freshAccount()
  const vault = await createVault(client, 'public')
  const bytes = uniqueBytes()
  const { id } = await uploadFile(client, { vaultId: vault.id, bytes })
  const { storageNetworkBlobId: blobId } = await untilStatus(client, id, 'cold')
  const visitor = anonymous(client)
  const reads = () =>
    Promise.all([
      client.get(`/api/files/${id}`),
      client.get(`/api/files/${id}/download`),
      visitor.get(`/api/public/files/${id}`),
      visitor.get(`/api/public/blobs/${blobId}`),
    ])
  const deleted = await client.delete<FileRecord>(`/api/files/${id}`)
  expect([deleted.status, deleted.body.id]).toEqual([200, id])
  expect((await reads()).map(({ status }) => status)).toEqual([404, 404, 404, 404])
  expect((await client.get<{ files: FileRecord[] }>('/api/trash')).body.files).toHaveLength(1)
  expect((await client.post(`/api/files/${id}/restore`)).status).toBe(200)
  expect((await reads()).map(({ status }) => status)).toEqual([200, 200, 200, 200])
  expect(await networkCopies(sharedStack(), id)).toHaveLength(1)

  expect((await client.delete(`/api/files/${id}?permanent=true`)).status).toBe(200)
  expect((await reads()).map(({ status }) => status)).toEqual([404, 404, 404, 404])
  await nothingLeft(id)
})

test.concurrent('at every step of a file’s life another account deletes the same bytes: nothing is lost, nothing is left', async () => {
  const bytes = uniqueBytes()
  const store = async () => {
    const client = freshAccount()
    const vault = await createVault(client, 'public')
    const { id } = await uploadFile(client, { vaultId: vault.id, bytes })
    return {
      read: async () => readByEveryRoute(client, await readFile(client, id)),
      reach: (status: Status) => untilStatus(client, id, status),
      async leave() {
        expect((await client.delete(`/api/files/${id}?permanent=true`)).status).toBe(200)
        await nothingLeft(id)
      },
    }
  }
  const leavers = await Promise.all([store(), store(), store()])
  for (const { reach } of leavers) await reach('synced')
  await using held = await holdProcesses(sharedStack(), 'sync')
  const stayer = await store()
  await leavers[0]?.leave()
  expect(await stayer.read()).toEqual({ download: bytes, byId: bytes })
  await held.release('sync')
  for (const [index, status] of (['synced', 'cold'] as const).entries()) {
    await stayer.reach(status)
    await leavers[index + 1]?.leave()
    expect(await stayer.read(), status).toEqual({ download: bytes, byId: bytes, byBlob: bytes })
  }
  await stayer.leave()
})

test.concurrent('an upload that is deleted is aborted, and its URL is worth nothing', async () => {
  const client = freshAccount()
  const vault = await createVault(client, 'public')
  const bytes = uniqueBytes()
  const upload = await requestUpload(client, { vaultId: vault.id, bytes })
  expect((await client.delete(`/api/files/${upload.fileId}`)).status).toBe(200)
  // Without a PUT meanwhile: one under way while the store aborts the upload can open it anew.
  const isAborted = async () => (await openUploads(sharedStack(), upload.fileId)).length === 0
  await waitFor(isAborted, { what: 'the store to know it no more' })
  expect(await putBytes(upload, bytes)).toBe(404)
  expect((await client.post(`/api/files/${upload.fileId}/confirm`)).status).toBe(404)
})

test.concurrent('a vault is deleted when it is empty or by force, and can be restored with its files', async () => {
  const client = freshAccount()
  const vault = await createVault(client, 'public')
  const file = await uploadFile(client, { vaultId: vault.id, bytes: uniqueBytes() })
  const refused = await client.delete<ErrorBody>(`/api/vaults/${vault.id}`)
  expect([refused.status, refused.body.code]).toEqual([409, 'vault_not_empty'])
  expect((await client.delete(`/api/vaults/${vault.id}?force=true`)).status).toBe(200)
  expect((await client.get(`/api/files/${file.id}`)).status).toBe(404)
  expect((await client.post(`/api/vaults/${vault.id}/restore`)).status).toBe(200)
  expect((await client.get(`/api/files/${file.id}`)).status).toBe(200)
})

test.concurrent('a request repeated with its idempotency key creates nothing anew, whichever gateway takes it', async () => {
  const client = freshAccount()
  const headers = { ...client.identity, 'Content-Type': 'application/json', 'Idempotency-Key': crypto.randomUUID() }
  const create = (index: number) =>
    fetch(`${sharedStack().gatewayUrls[index % 2]}/api/vaults`, {
      method: 'POST',
      headers,
      body: JSON.stringify({ name: 'Once', visibility: 'public' }),
    })
  const answers = await Promise.all(Array.from({ length: 8 }, (_, index) => create(index)))
  const vaults = (await Promise.all(answers.map((answer) => answer.json()))) as Vault[]
  expect(new Set(vaults.map(({ id }) => id)).size).toBe(1)

  const bytes = uniqueBytes()
  const fields = { name: 'a', mimeType: 'text/plain', sizeBytes: bytes.length, vaultId: vaults[0]?.id }
  const request = () =>
    client.call<Upload>('POST', '/api/files/upload', { body: fields, headers: { 'Idempotency-Key': 'upload' } })
  const [first, second] = [await request(), await request()]
  expect(second.body.fileId).toBe(first.body.fileId)
  expect(await putBytes(second.body, bytes)).toBe(200)
})
