import { startReceiver } from '@tideport/testing/receiver'
import { expect, test } from 'vitest'
import { accountId, anonymous, createVault } from './support/account.ts'
import type { ApiClient } from './support/api-client.ts'
import { encryptionFields } from './support/encryption-fields.ts'
import { downloadBytes, fetchBytes, publicBlobUrl, publicFileUrl, readByEveryRoute } from './support/reading.ts'
import type { ErrorBody, FileRecord } from './support/resources.ts'
import { freshAccount } from './support/shared-stack.ts'
import { readFile, uniqueBytes, untilStatus, uploadFile } from './support/uploads.ts'
import { createWebhook, untilEvent } from './support/webhook-events.ts'

test.concurrent('a private file comes back as exactly the encrypted bytes and fields that were sent, in every state', async () => {
  const [client, ciphertext, fields] = [freshAccount(), uniqueBytes(50_000), encryptionFields()]
  const vault = await createVault(client, 'private')
  const hot = await uploadFile(client, { vaultId: vault.id, bytes: ciphertext, more: fields })
  expect(hot).toMatchObject({ ...fields, status: 'hot', sizeBytes: ciphertext.length })
  for (const status of ['hot', 'synced', 'cold'] as const) {
    const file = status === 'hot' ? hot : await untilStatus(client, hot.id, status)
    expect(await readFile(client, hot.id)).toMatchObject(fields)
    expect((await downloadBytes(client, hot.id)).bytes, status).toEqual(ciphertext)
    await expectUnreachable(client, file, vault.slug)
  }
})

/** Nobody gets at it without authentication. */
async function expectUnreachable(client: ApiClient, file: FileRecord, slug: string) {
  expect((await fetchBytes(publicFileUrl(client, file.id))).status).toBe(404)
  await expect(readByEveryRoute(client, file)).rejects.toThrow(/^byId was answered 404 .*not_found/)
  expect((await fetchBytes(publicBlobUrl(client, file.storageNetworkBlobId ?? 'none'))).status).toBe(404)
  expect((await anonymous(client).get(`/api/public/vaults/${await accountId(client)}/${slug}`)).status).toBe(404)
}

test.concurrent('events of private files carry no encryption metadata', async () => {
  const client = freshAccount()
  await using receiver = await startReceiver()
  await createWebhook(client, receiver, ['file.synced'])
  const vault = await createVault(client, 'private')
  await uploadFile(client, { vaultId: vault.id, bytes: uniqueBytes(), more: encryptionFields() })
  const { data } = await untilEvent(receiver, 'file.synced')
  const names = ['fileId', 'fileName', 'sizeBytes', 'status', 'storageNetworkBlobId', 'vaultId']
  expect(Object.keys(data).toSorted()).toEqual(names)
})

test.concurrent('an upload to a private vault needs all four encryption fields, well formed, and one to a public vault none', async () => {
  const client = freshAccount()
  const [closed, open] = [await createVault(client, 'private'), await createVault(client, 'public')]
  const fields = encryptionFields()
  const attempt = (vaultId: string, more: object) =>
    client.post<ErrorBody>('/api/files/upload', { name: 'a', mimeType: 'text/plain', sizeBytes: 1, vaultId, ...more })

  const refused = [
    await attempt(open.id, fields),
    await attempt(open.id, { wrappedKey: fields.wrappedKey }),
    ...(await Promise.all(Object.keys(fields).map((name) => attempt(closed.id, { ...fields, [name]: undefined })))),
    await attempt(closed.id, { ...fields, wrappedKey: 'x'.repeat(4097) }),
    await attempt(closed.id, { ...fields, encryptionIv: 'x'.repeat(257) }),
    await attempt(closed.id, { ...fields, plaintextSizeBytes: -1 }),
    await attempt(closed.id, { ...fields, plaintextChecksumSha256: 'not hexadecimal' }),
  ]
  for (const { status, body } of refused) expect([status, body.code]).toEqual([400, 'validation_failed'])
  expect((await client.get<{ files: [] }>('/api/files')).body.files).toEqual([])
  expect((await attempt(closed.id, fields)).status).toBe(201)
  expect((await attempt(open.id, {})).status).toBe(201)
})
