import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { text } from 'node:stream/consumers'
import { startReceiver } from '@tideport/testing/receiver'
import { expect, test } from 'vitest'
import { createKey, createVault, withToken } from './support/account.ts'
import { freshAccount, sharedStack } from './support/shared-stack.ts'
import { createWebhook } from './support/webhook-events.ts'

test.concurrent('a long poll that waits when its key is revoked returns 401 on each gateway, and no later event', async () => {
  const owner = freshAccount()
  await using receiver = await startReceiver()
  const webhook = await createWebhook(owner, receiver, ['vault.deleted'])
  const vault = await createVault(owner, 'public')
  const key = await createKey(owner)
  const polls = sharedStack().gatewayUrls.map((url) =>
    withToken(owner, key.key, url).get(`/api/webhooks/${webhook.id}/feed?waitSeconds=20`),
  )
  // They wait while another request with the key comes and goes.
  expect((await withToken(owner, key.key).get('/api/vaults')).status).toBe(200)
  expect((await owner.delete(`/api/auth/api-keys/${key.id}`)).status).toBe(200)
  expect((await owner.delete(`/api/vaults/${vault.id}`)).status).toBe(200)
  for (const { status, body } of await Promise.all(polls)) {
    expect([status, body]).toEqual([401, expect.objectContaining({ code: 'api_key_revoked' })])
  }
})

test.concurrent('an upload in one call that is under way when its key is revoked stores no file', async () => {
  const owner = freshAccount()
  const { id } = await createVault(owner, 'public')
  const key = await createKey(owner)
  const sizeBytes = 1_000_000
  const upload = request(`${owner.baseUrl}/api/vaults/${id}/content/cut.bin`, {
    method: 'PUT',
    headers: { authorization: `Bearer ${key.key}`, 'content-length': sizeBytes },
    agent: false,
  })
  upload.on('error', () => {})
  const refused = once(upload, 'response')
  upload.write(Buffer.alloc(sizeBytes - 1))
  expect((await withToken(owner, key.key).get('/api/vaults')).status).toBe(200)
  await owner.delete(`/api/auth/api-keys/${key.id}`)
  upload.end(Buffer.alloc(1))
  const [response] = (await refused) as [IncomingMessage]
  expect([response.statusCode, JSON.parse(await text(response)).code]).toEqual([401, 'api_key_revoked'])
  expect((await owner.get<{ files: unknown[] }>(`/api/files?vaultId=${id}`)).body.files).toEqual([])
})
