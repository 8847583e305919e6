import { expect, test } from 'vitest'
import { accountId, createVault } from './support/account.ts'
import type { ApiClient } from './support/api-client.ts'
import { encryptionFields } from './support/encryption-fields.ts'
import { comparable, rawRequest } from './support/raw-request.ts'
import { fetchBytes, publicBlobUrl, publicFileUrl } from './support/reading.ts'
import { freshAccount } from './support/shared-stack.ts'
import { requestUpload, uniqueBytes, untilStatus, uploadFile } from './support/uploads.ts'

const unknownBlobId = 'bafkreigh2akiscaildcqabsyg3dfr6chu3fgpregiymsck7e7aqa4s52zy'

async function uploadTo(
  client: ApiClient,
  visibility: string,
  bytes: Buffer,
  file: { name?: string; mimeType?: string } = {},
) {
  const vault = await createVault(client, visibility)
  const more = visibility === 'private' ? encryptionFields() : {}
  return { vault, file: await uploadFile(client, { vaultId: vault.id, bytes, more, ...file }) }
}

async function syncedBlobId(client: ApiClient, fileId: string): Promise<string> {
  return (await untilStatus(client, fileId, 'synced')).storageNetworkBlobId as string
}

test('private, unconfirmed, malformed and missing are byte for byte the same 404 on every public route', async () => {
  const client = freshAccount()
  const hidden = await uploadTo(client, 'private', uniqueBytes())
  const blobId = await syncedBlobId(client, hidden.file.id)
  const open = await createVault(client, 'public', 'Open')
  const unconfirmed = await requestUpload(client, { vaultId: open.id, bytes: uniqueBytes() })
  const userId = await accountId(client)
  const targets = [
    ...[hidden.file.id, unconfirmed.fileId, crypto.randomUUID(), 'x', '%00'].map((id) => `/api/public/files/${id}`),
    ...[blobId, unknownBlobId, hidden.file.id, 'x'].map((id) => `/api/public/blobs/${id}`),
    ...[`${userId}/${hidden.vault.slug}`, `${userId}/missing`, `${crypto.randomUUID()}/default`, 'x/default'].map(
      (path) => `/api/public/vaults/${path}`,
    ),
  ]
  for (const method of ['GET', 'HEAD']) {
    const answers = await Promise.all(targets.map((target) => rawRequest(client.baseUrl, { method, target })))
    const [first, ...others] = answers.map(comparable)
    expect(first).toMatchObject({ status: 404, body: method === 'HEAD' ? '' : expect.stringContaining('"not_found"') })
    others.forEach((other, index) => {
      expect(other, `${method} ${targets[index + 1]}`).toEqual(first)
    })
  }
})

test('credentials of the owner change nothing on public routes', async () => {
  const client = freshAccount()
  const { file } = await uploadTo(client, 'private', uniqueBytes())
  expect((await fetchBytes(publicFileUrl(client, file.id), client.identity)).status).toBe(404)
})

test.each([
  ['private', 'public'],
  ['public', 'private'],
])('of equal bytes stored %s first and %s second, only the public file answers the blob id', async (first, second) => {
  const [client, bytes] = [freshAccount(), uniqueBytes()]
  const details = { public: { name: 'open.txt', mimeType: 'text/plain' }, private: { name: 'secret.bin' } }
  const stored: { public?: string; private?: string } = {}
  for (const visibility of [first, second] as ('public' | 'private')[]) {
    const { file } = await uploadTo(client, visibility, bytes, details[visibility])
    const blobId = await syncedBlobId(client, file.id)
    stored[visibility] = blobId
    const { status, headers } = await fetchBytes(publicBlobUrl(client, blobId))
    expect(status).toBe(stored.public === undefined ? 404 : 200)
    if (status === 200) expect(headers.get('content-disposition')).toContain('open.txt')
  }
  expect(stored.public).toBe(stored.private)
})

test('who uploads the same bytes later under a hostile name and type does not take over the blob id', async () => {
  const [author, attacker, bytes] = [freshAccount(), freshAccount(), Buffer.from(`<script>${crypto.randomUUID()}`)]
  const original = await uploadTo(author, 'public', bytes, { name: 'notes.txt', mimeType: 'text/plain' })
  const blobId = await syncedBlobId(author, original.file.id)
  const hostile = await uploadTo(attacker, 'public', bytes, { name: 'evil.html', mimeType: 'text/html' })
  await syncedBlobId(attacker, hostile.file.id)
  const { headers } = await fetchBytes(publicBlobUrl(author, blobId))
  expect(headers.get('content-type')).toMatch(/^text\/plain/)
  expect(headers.get('content-disposition')).toContain('notes.txt')
})
