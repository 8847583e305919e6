import { createHash, createHmac } from 'node:crypto'
import { startReceiver } from '@tideport/testing/receiver'
import { Webhook as StandardWebhook } from 'standardwebhooks'
import { expect, test } from 'vitest'
import { accountId, anonymous, createVault } from './support/account.ts'
import type { ApiClient } from './support/api-client.ts'
import { encryptionFields } from './support/encryption-fields.ts'
import { holdProcesses } from './support/hold-processes.ts'
import { downloadBytes, fetchBytes, publicBlobUrl, publicFileUrl, readByEveryRoute } from './support/reading.ts'
import type { FileRecord, WebhookBody } from './support/resources.ts'
import { freshAccount, sharedStack } from './support/shared-stack.ts'
import { hotCopies, networkCopies } from './support/stored-copies.ts'
import {
  confirm,
  putBytes,
  readFile,
  requestUpload,
  uniqueBytes,
  untilStatus,
  uploadFile,
  uploadInSteps,
} from './support/uploads.ts'
import { createWebhook, eventsOf, untilEvent, untilEvents } from './support/webhook-events.ts'

test.concurrent('a public file becomes uploading, hot, synced, and cold, and every route returns the same bytes in each state', async () => {
  const [stack, client, bytes] = [sharedStack(), freshAccount(), uniqueBytes(300_000)]
  await using held = await holdProcesses(stack, 'sync', 'eviction')
  const vault = await createVault(client, 'public')

  const upload = await requestUpload(client, { vaultId: vault.id, bytes })
  expect(await readFile(client, upload.fileId)).toMatchObject({ status: 'uploading', storageNetworkBlobId: null })
  expect(await putBytes(upload, bytes)).toBe(200)
  const hot = (await confirm(client, upload.fileId)).body
  expect(hot).toMatchObject({ status: 'hot', storageNetworkBlobId: null, inHotCache: true })
  expect((await confirm(client, hot.id)).body).toEqual(hot)
  expect(await readByEveryRoute(client, hot)).toEqual({ download: bytes, byId: bytes })

  await held.release('sync')
  const synced = await untilStatus(client, hot.id, 'synced')
  const checksumSha256 = createHash('sha256').update(bytes).digest('hex')
  expect(synced).toMatchObject({ storageNetworkBlobId: expect.any(String), checksumSha256, inHotCache: true })
  expect(await readByEveryRoute(client, synced)).toEqual({ download: bytes, byId: bytes, byBlob: bytes })
  expect((await downloadBytes(client, hot.id)).source).toBe('hot')
  expect(await hotCopies(stack, hot.id)).toHaveLength(1)

  await held.release('eviction')
  const cold = await untilStatus(client, hot.id, 'cold')
  expect(cold).toMatchObject({ storageNetworkBlobId: synced.storageNetworkBlobId, checksumSha256, inHotCache: false })
  expect(await readByEveryRoute(client, cold)).toEqual({ download: bytes, byId: bytes, byBlob: bytes })
  expect((await downloadBytes(client, hot.id)).source).toBe('network')
  expect(await hotCopies(stack, hot.id)).toEqual([])
  expect(await networkCopies(stack, hot.id)).toHaveLength(1)
})

test.concurrent('a webhook receives each state once, with exactly the payload of the specification', async () => {
  const client = freshAccount()
  await using receiver = await startReceiver()
  const { secret } = await createWebhook(client, receiver, ['file.hot', 'file.synced', 'file.cold', 'file.error'])
  const vault = await createVault(client, 'public')
  const bytes = uniqueBytes()
  const { id } = await uploadFile(client, {
    vaultId: vault.id,
    bytes,
    name: 'Überblick №1.pdf',
    mimeType: 'application/pdf',
  })
  const cold = await untilStatus(client, id, 'cold')
  await untilEvents(receiver, 'file.hot', 'file.synced', 'file.cold')

  const common = { fileId: id, fileName: 'Überblick №1.pdf', vaultId: vault.id, sizeBytes: bytes.length }
  const blob = { storageNetworkBlobId: cold.storageNetworkBlobId }
  const instant = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
  const told = eventsOf(receiver).toSorted((a, b) => a.timestamp.localeCompare(b.timestamp))
  expect(told).toEqual([
    { event: 'file.hot', timestamp: instant, data: { ...common, status: 'hot' } },
    { event: 'file.synced', timestamp: instant, data: { ...common, ...blob, status: 'synced' } },
    { event: 'file.cold', timestamp: instant, data: { ...common, ...blob, status: 'cold' } },
  ])
  for (const { method, headers, body } of receiver.requests) {
    const signature = createHmac('sha256', secret).update(body).digest('hex')
    expect([method, headers['x-service-signature']]).toEqual(['POST', signature])
    new StandardWebhook(secret).verify(String(body), headers as Record<string, string>)
  }
})

test.concurrent('a file whose processing fails gets the status error, file.error has the reason, and its bytes stay readable', async () => {
  const client = freshAccount()
  await using receiver = await startReceiver()
  await createWebhook(client, receiver, ['file.error'])
  const vault = await createVault(client, 'public')
  const bytes = uniqueBytes()
  const more = { checksumSha256: createHash('sha256').update('other bytes').digest('hex') }
  const { id } = await uploadInSteps(client, { vaultId: vault.id, bytes, more })

  const failed = await untilStatus(client, id, 'error')
  expect(failed).toMatchObject({ errorCode: 'checksum_mismatch', error: expect.stringMatching(/\w+ \w+/) })
  const told: WebhookBody = await untilEvent(receiver, 'file.error')
  expect(told.data).toMatchObject({ fileId: id, status: 'error', error: failed.error })
  expect((await downloadBytes(client, id)).bytes).toEqual(bytes)
  expect((await client.post(`/api/files/${id}/retry`)).status).toBe(409)
  expect((await confirm(client, id)).body).toMatchObject({ status: 'error', errorCode: 'checksum_mismatch' })
})

test.concurrent('a private file returns exactly the encrypted bytes and fields that were sent, in every state', async () => {
  const [client, ciphertext, fields] = [freshAccount(), uniqueBytes(50_000), encryptionFields()]
  await using receiver = await startReceiver()
  await createWebhook(client, receiver, ['file.synced'])
  const vault = await createVault(client, 'private')
  const hot = await uploadFile(client, { vaultId: vault.id, bytes: ciphertext, more: fields })
  expect(hot).toMatchObject({ ...fields, status: 'hot', sizeBytes: ciphertext.length })
  for (const status of ['hot', 'synced', 'cold'] as const) {
    const file = status === 'hot' ? hot : await untilStatus(client, hot.id, status)
    expect(await readFile(client, hot.id)).toMatchObject(fields)
    expect((await downloadBytes(client, hot.id)).bytes, status).toEqual(ciphertext)
    await expectUnreachable(client, file, vault.slug)
  }
  // Events carry no encryption metadata.
  const { data } = await untilEvent(receiver, 'file.synced')
  const names = ['fileId', 'fileName', 'sizeBytes', 'status', 'storageNetworkBlobId', 'vaultId']
  expect(Object.keys(data).toSorted()).toEqual(names)
})

/** Fails if the file can be read without authentication. */
async function expectUnreachable(client: ApiClient, file: FileRecord, slug: string) {
  expect((await fetchBytes(publicFileUrl(client, file.id))).status).toBe(404)
  await expect(readByEveryRoute(client, file)).rejects.toThrow(/^byId was answered 404 .*not_found/)
  expect((await fetchBytes(publicBlobUrl(client, file.storageNetworkBlobId ?? 'none'))).status).toBe(404)
  expect((await anonymous(client).get(`/api/public/vaults/${await accountId(client)}/${slug}`)).status).toBe(404)
}
