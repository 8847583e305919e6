import { startReceiver } from '@tideport/testing/receiver'
import { waitFor } from '@tideport/testing/wait-for'
import { expect, test } from 'vitest'
import { accountId, createKey, withToken } from './support/account.ts'
import { freshAccount } from './support/shared-stack.ts'
import { createWebhook } from './support/webhook-events.ts'

interface Entry {
  kind: string
  subjectId: string
  clientAddress: string
  requestId: string
  actor: { method: string; keyPrefix: string | null; subject: string | null }
}

test.concurrent('the audit log records the first login and the keys of an account with user, address, and request', async () => {
  const client = freshAccount()
  // The service ignores the address that a client sends.
  await client.get('/api/account', { 'X-Tideport-Client-Address': '192.0.2.7', 'X-Forwarded-For': '192.0.2.7' })
  const id = await accountId(client)
  const key = await createKey(client)
  const owner = withToken(client, key.key)
  const revoked = await owner.delete(`/api/auth/api-keys/${key.id}`)
  const { body, text } = await client.get<{ events: Entry[] }>('/api/account/events')
  expect(body.events.map(({ kind, subjectId }) => [kind, subjectId])).toEqual([
    ['key.revoked', key.id],
    ['key.created', key.id],
    ['account.created', id],
  ])
  expect(body.events[0]).toMatchObject({
    actor: { method: 'api_key', keyPrefix: key.keyPrefix },
    requestId: revoked.headers.get('x-request-id'),
  })
  for (const { clientAddress } of body.events) expect(clientAddress).toMatch(/127\.0\.0\.1|::1/)
  for (const { actor } of body.events.slice(1)) expect(actor).toMatchObject({ method: 'development', keyPrefix: null })
  for (const hidden of [key.key, '192.0.2.7']) expect(text).not.toContain(hidden)
})

test.concurrent('the audit log also records changes of webhooks, without secrets', async () => {
  const client = freshAccount()
  await using receiver = await startReceiver()
  const { id, secret } = await createWebhook(client, { ...receiver, url: `${receiver.url}?token=hidden` }, ['file.hot'])
  const path = `/api/webhooks/${id}`
  await client.patch(path, { events: ['file.hot', 'vault.deleted'] })
  await client.post(`${path}/rotate-secret`)
  await client.delete(path)
  const kinds = ['webhook.created', 'webhook.changed', 'webhook.secret_rotated', 'webhook.deleted']
  const { ours, text } = await waitFor(
    async () => {
      const { body, text } = await client.get<{ events: Entry[] }>('/api/account/events')
      const ours = body.events.filter(({ subjectId }) => subjectId === id)
      return ours.length === kinds.length && { ours, text }
    },
    { what: 'every entry' },
  )
  expect(ours.map(({ kind }) => kind)).toEqual(kinds.toReversed())
  for (const { actor } of ours) expect(actor).toMatchObject({ method: 'development' })
  for (const hidden of [secret, 'hidden']) expect(text).not.toContain(hidden)
})
