import { expect, test } from 'vitest'
import { accountId, anonymous, createKey, createVault } from './support/account.ts'
import type { CreatedWebhook, Delivery, ErrorBody } from './support/resources.ts'
import { freshAccount } from './support/shared-stack.ts'
import { requestUpload, uniqueBytes, uploadFile } from './support/uploads.ts'

const words = (text: string) => text.split(' ').toSorted()
const keysOf = (value: unknown) => Object.keys(value as object).toSorted()

// biome-ignore format: a table
const fields = {
  account: words('id createdAt usage limits'),
  usage: words('storageBytes hotBytes fileCount vaultCount networks'),
  vault: words('id name description visibility slug isDefault isExport fileCount storageBytes filesExpireAfterSeconds keyId createdAt updatedAt deletedAt'),
  upload: words('fileId uploadUrl method headers expiresAt'),
  file: words(`id name path mimeType sizeBytes vaultId status storageNetworkBlobId wrappedKey encryptionIv plaintextSizeBytes \
plaintextChecksumSha256 error errorCode checksumSha256 expectedBlobId inHotCache rehydrating syncAttempts leaseExpiresAt hotUntil \
createdAt updatedAt confirmedAt syncedAt evictedAt deletedAt replaces replacedBy metadata tags sealedMetadata expiresAt awaitingReview`),
  deleted: words('purgeDueAt networkCopy networkCopyExpiresAt networkCopies'),
  publicFile: words('id name path mimeType sizeBytes vaultId status storageNetworkBlobId checksumSha256 createdAt metadata tags'),
  publicVault: words('id name description slug'),
  download: words('downloadUrl expiresAt source'),
  key: words('id name keyPrefix parentId scopes limits isSession createdAt expiresAt lastUsedAt revoked_at s3AccessKeyId'),
  webhook: words('id url events active createdAt updatedAt disabledReason consecutiveFailures'),
  delivery: words('id webhookId event eventId attempts statusCode success error durationMs createdAt nextAttemptAt'),
}

test('every resource has exactly its fields, null for missing values, and UTC times with milliseconds', async () => {
  const client = freshAccount()
  const { body: account } = await client.get<{ usage: object; limits: object }>('/api/account')
  expect([keysOf(account), keysOf(account.usage)]).toEqual([fields.account, fields.usage])
  expect(account.limits).toEqual({
    maxPutBytes: 5 * 1024 ** 3,
    maxFileBytes: 50 * 1024 ** 3,
    quotaBytes: null,
    openUploadsMax: 100,
  })
  const vault = await createVault(client, 'public')
  expect(keysOf(vault)).toEqual(fields.vault)
  expect(keysOf(await requestUpload(client, { vaultId: vault.id, bytes: uniqueBytes() }))).toEqual(fields.upload)
  const file = await uploadFile(client, { vaultId: vault.id, bytes: uniqueBytes() })
  expect(keysOf(file)).toEqual(fields.file)
  expect(file).toMatchObject({ wrappedKey: null, error: null, leaseExpiresAt: null, deletedAt: null })
  expect(keysOf((await client.get(`/api/files/${file.id}/download`)).body)).toEqual(fields.download)
  const listing = `/api/public/vaults/${await accountId(client)}/${vault.slug}`
  const { body: shown } = await anonymous(client).get<{ vault: object; files: object[] }>(listing)
  expect([keysOf(shown.vault), keysOf(shown.files[0])]).toEqual([fields.publicVault, fields.publicFile])
  const key = await createKey(client)
  expect(keysOf(key)).toEqual([...fields.key, 'key'].toSorted())
  expect(keysOf((await client.get(`/api/auth/api-keys/${key.id}`)).body)).toEqual(fields.key)
  const hook = { url: 'http://127.0.0.1:9/', events: ['file.hot'] }
  const { body: webhook } = await client.post<CreatedWebhook>('/api/webhooks', hook)
  expect(keysOf(webhook)).toEqual([...fields.webhook, 'secret'].toSorted())
  const { body: delivery } = await client.post<Delivery>(`/api/webhooks/${webhook.id}/test`)
  expect(keysOf(delivery)).toEqual(fields.delivery)
  for (const resource of [account, vault, file, key, webhook, delivery]) {
    expect(resource).toMatchObject({ createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/) })
  }
})

test('400 lists every fault with its path, 403 names the scope, 413 and 429 name the limit, and no error echoes the body', async () => {
  const client = freshAccount()
  const { status, body, text } = await client.post<{ details: { issues: { path: string; message: string }[] } }>(
    '/api/files/upload',
    { name: 'hunter2/', mimeType: 'nothing', sizeBytes: -1 },
  )
  expect(status).toBe(400)
  expect(body.details.issues.map(({ path }) => path).toSorted()).toEqual(words('mimeType name sizeBytes vaultId'))
  expect(text).not.toContain('hunter2')
  const query = await client.get<{ details: { issues: { path: string }[] } }>('/api/files?limit=0&order=up')
  expect(query.body.details.issues.map(({ path }) => path).toSorted()).toEqual(['limit', 'order'])
  const vault = await createVault(client, 'public')
  const tooLarge = { name: 'a', mimeType: 'a/b', sizeBytes: 5 * 1024 ** 3 + 1, vaultId: vault.id }
  const refused = await client.post<ErrorBody>('/api/files/upload', tooLarge)
  expect([refused.status, refused.body.details]).toEqual([413, { maxSizeBytes: 5 * 1024 ** 3 }])
})
