import { createHmac } from 'node:crypto'
import { startReceiver } from '@tideport/testing/receiver'
import { Webhook as StandardWebhook } from 'standardwebhooks'
import { expect, test } from 'vitest'
import type { Delivery, ErrorBody, Webhook } from './support/resources.ts'
import { freshAccount } from './support/shared-stack.ts'
import { createWebhook, eventsOf } from './support/webhook-events.ts'

test.concurrent('a webhook can be created, listed, read, updated, and deleted, and its secret is shown once', async () => {
  const client = freshAccount()
  await using receiver = await startReceiver()
  const { secret, ...webhook } = await createWebhook(client, receiver, ['file.hot', 'file.cold', 'file.hot'])
  expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/)
  expect(webhook).toMatchObject({ url: receiver.url, events: ['file.hot', 'file.cold'], active: true })
  const path = `/api/webhooks/${webhook.id}`
  expect((await client.get(path)).body).toEqual(webhook)
  expect((await client.get('/api/webhooks')).body).toEqual({ webhooks: [webhook], nextCursor: null })

  const updated = await client.patch<Webhook>(path, { events: ['file.error'], active: false })
  expect(updated.body).toMatchObject({ events: ['file.error'], active: false, url: receiver.url })
  expect((await client.get(path)).body).toEqual(updated.body)
  const deleted = await client.delete(path)
  for (const { status, text } of [updated, deleted])
    expect([status, text]).toEqual([200, expect.not.stringContaining('whsec_')])
  expect((await client.get(path)).status).toBe(404)
  expect((await client.get('/api/webhooks')).body).toEqual({ webhooks: [], nextCursor: null })
})

test.concurrent('creating or updating a webhook with an invalid URL or invalid events returns 400', async () => {
  const client = freshAccount()
  const right = { url: 'http://127.0.0.1:9/', events: ['file.hot'] }
  const { body } = await client.post<Webhook>('/api/webhooks', right)
  const urls = [
    '',
    'nonsense',
    '/relative',
    'ftp://host/',
    'javascript:alert(1)',
    'http://u:p@host/',
    `${right.url}${'a'.repeat(2048)}`,
    7,
  ]
  const events = [[], ['file.read'], 'file.hot', [null], ['file.hot', 'FILE.HOT']]
  for (const wrong of [
    ...urls.map((url) => ({ url })),
    ...events.map((list) => ({ events: list })),
    { active: 'no' },
  ]) {
    const answers = [client.patch<ErrorBody>(`/api/webhooks/${body.id}`, wrong)]
    if (!('active' in wrong)) answers.push(client.post<ErrorBody>('/api/webhooks', { ...right, ...wrong }))
    for (const refused of await Promise.all(answers))
      expect([refused.status, refused.body.code], JSON.stringify(wrong)).toEqual([400, 'validation_failed'])
  }
  expect((await client.get<Webhook>(`/api/webhooks/${body.id}`)).body).toEqual({ ...body, secret: undefined })
  for (const query of ['limit=0', 'limit=1.5', 'order=up', 'cursor=nonsense'])
    expect((await client.get(`/api/webhooks?${query}`)).status, query).toBe(400)
})

test.concurrent('a test delivery is sent on demand, signed like others, and returned as its record', async () => {
  const client = freshAccount()
  await using receiver = await startReceiver()
  const { id, secret } = await createWebhook(client, receiver, ['file.synced', 'file.hot'])
  const answer = await client.post<Delivery>(`/api/webhooks/${id}/test`)
  const record = { webhookId: id, event: 'file.synced', statusCode: 200, success: true }
  expect([answer.status, answer.body]).toMatchObject([200, record])
  const data = { status: 'synced', storageNetworkBlobId: expect.any(String) }
  expect(eventsOf(receiver)).toEqual([
    expect.objectContaining({ event: 'file.synced', data: expect.objectContaining(data) }),
  ])
  const { headers, body } = receiver.requests[0] as (typeof receiver.requests)[number]
  const signature = createHmac('sha256', secret).update(body).digest('hex')
  expect(headers).toMatchObject({
    'x-service-test': 'true',
    'x-service-delivery-id': answer.body.id,
    'x-service-signature': signature,
  })
  const history = await client.get<{ deliveries: Delivery[] }>(`/api/webhooks/${id}/deliveries`)
  expect(history.body.deliveries).toMatchObject([{ id: answer.body.id, event: 'file.synced', success: true }])
})

test.concurrent('a rotated secret signs alongside the new one, and a deleted webhook sends nothing', async () => {
  const client = freshAccount()
  await using receiver = await startReceiver()
  const { id, secret } = await createWebhook(client, receiver, ['file.hot'])
  const rotated = await client.post<{ secret: string }>(`/api/webhooks/${id}/rotate-secret`)
  expect([rotated.status, rotated.body.secret]).toEqual([200, expect.stringMatching(/^whsec_/)])
  expect(rotated.body.secret).not.toBe(secret)
  await client.post(`/api/webhooks/${id}/test`)
  const { headers, body } = receiver.requests[0] as (typeof receiver.requests)[number]
  for (const one of [secret, rotated.body.secret])
    new StandardWebhook(one).verify(String(body), headers as Record<string, string>)
  expect((await client.delete(`/api/webhooks/${id}`)).status).toBe(200)
  expect((await client.post(`/api/webhooks/${id}/test`)).status).toBe(404)
  expect(receiver.requests).toHaveLength(1)
})
