import { startReceiver } from '@tideport/testing/receiver'
import { expect, test } from 'vitest'
import { createVault } from './support/account.ts'
import { holdProcesses } from './support/hold-processes.ts'
import type { Delivery, ErrorBody, Webhook } from './support/resources.ts'
import { freshAccount, sharedStack } from './support/shared-stack.ts'
import { uniqueBytes, untilStatus, uploadFile } from './support/uploads.ts'
import { createWebhook, eventsOf, untilEvent, untilEvents } from './support/webhook-events.ts'

const allEvents = ['file.hot', 'file.synced', 'file.cold', 'file.error']
const nowhere = 'http://127.0.0.1:9/'

test.concurrent('a webhook can be created, listed, read, updated and deleted; its secret is shown once', async () => {
  const client = freshAccount()
  await using receiver = await startReceiver()
  const { secret, ...webhook } = await createWebhook(client, receiver, ['file.hot', 'file.cold', 'file.hot'])
  expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/)
  expect(webhook).toMatchObject({ url: receiver.url, events: ['file.hot', 'file.cold'], active: true })
  const path = `/api/webhooks/${webhook.id}`
  expect((await client.get(path)).body).toEqual(webhook)
  expect((await client.get('/api/webhooks')).body).toEqual({ webhooks: [webhook], nextCursor: null })

  const updated = await client.patch<Webhook>(path, { events: ['file.error'], active: false })
  expect([updated.status, updated.body]).toMatchObject([
    200,
    { events: ['file.error'], active: false, url: receiver.url },
  ])
  expect((await client.get(path)).body).toEqual(updated.body)
  const deleted = await client.delete(path)
  expect(deleted.status).toBe(200)
  for (const { text } of [updated, deleted]) expect(text).not.toContain('whsec_')
  expect((await client.get(path)).status).toBe(404)
  expect((await client.get('/api/webhooks')).body).toEqual({ webhooks: [], nextCursor: null })
})

test.concurrent('a webhook with a wrong URL or wrong events is refused with 400, at creation and at update', async () => {
  const client = freshAccount()
  const { body } = await client.post<Webhook>('/api/webhooks', { url: nowhere, events: allEvents })
  const urls = [undefined, '', 'nonsense', '/relative', 'ftp://host/', 'javascript:alert(1)', 'http://u:p@host/', 7]
  const events = [undefined, [], ['file.read'], 'file.hot', [null], ['file.hot', 'FILE.HOT']]
  const wrong = [
    ...urls.map((url) => ({ url, events: allEvents })),
    ...events.map((list) => ({ url: nowhere, events: list })),
  ]
  for (const fields of wrong) {
    const refused = await client.post<ErrorBody>('/api/webhooks', fields)
    expect([refused.status, refused.body.code], JSON.stringify(fields)).toEqual([400, 'validation_failed'])
  }
  for (const fields of [{ events: [] }, { events: ['file.read'] }, { active: 'no' }, { url: 'nonsense' }]) {
    expect((await client.patch(`/api/webhooks/${body.id}`, fields)).status, JSON.stringify(fields)).toBe(400)
  }
  expect((await client.get<Webhook>(`/api/webhooks/${body.id}`)).body).toEqual({ ...body, secret: undefined })
})

test.concurrent('an account has at most 20 webhooks', async () => {
  const client = freshAccount()
  const create = () => client.post<ErrorBody>('/api/webhooks', { url: nowhere, events: ['file.hot'] })
  const answers = await Promise.all(Array.from({ length: 22 }, create))
  expect(answers.map(({ status }) => status).toSorted()).toEqual([...Array(20).fill(201), 409, 409])
  expect(answers.find(({ status }) => status === 409)?.body.code).toBe('too_many_webhooks')
})

test.concurrent('only the subscribed events are delivered', async () => {
  const client = freshAccount()
  await using everything = await startReceiver()
  await using onlySynced = await startReceiver()
  await createWebhook(client, everything, allEvents)
  await createWebhook(client, onlySynced, ['file.synced'])
  const vault = await createVault(client, 'public')
  await uploadFile(client, { vaultId: vault.id, bytes: uniqueBytes() })
  await untilEvents(everything, 'file.hot', 'file.synced', 'file.cold')
  await untilEvent(onlySynced, 'file.synced')
  expect(eventsOf(everything)).toHaveLength(3)
  expect(eventsOf(onlySynced).map(({ event }) => event)).toEqual(['file.synced'])
})

test.concurrent('a deleted webhook gets nothing more', async () => {
  const client = freshAccount()
  await using receiver = await startReceiver()
  await using witness = await startReceiver()
  const { id } = await createWebhook(client, receiver, allEvents)
  await createWebhook(client, witness, allEvents)
  await client.delete(`/api/webhooks/${id}`)
  const vault = await createVault(client, 'public')
  await uploadFile(client, { vaultId: vault.id, bytes: uniqueBytes() })
  await untilEvent(witness, 'file.cold')
  expect(receiver.requests).toHaveLength(0)
  expect((await client.get(`/api/webhooks/${id}/deliveries`)).status).toBe(404)
})

test.concurrent("one account's events go to its own webhooks alone", async () => {
  const [owner, other] = [freshAccount(), freshAccount()]
  await using receiver = await startReceiver()
  await using foreign = await startReceiver()
  await createWebhook(owner, receiver, allEvents)
  await createWebhook(other, foreign, allEvents)
  const vault = await createVault(owner, 'public')
  await uploadFile(owner, { vaultId: vault.id, bytes: uniqueBytes() })
  await untilEvent(receiver, 'file.cold')
  expect(foreign.requests).toHaveLength(0)
})

test.concurrent('the history lists event, statusCode and success of each delivery, with a limit, pages and filters', async ({
  expect,
}) => {
  const client = freshAccount()
  await using receiver = await startReceiver()
  const { id } = await createWebhook(client, receiver, allEvents)
  const vault = await createVault(client, 'public')
  await uploadFile(client, { vaultId: vault.id, bytes: uniqueBytes() })
  await untilEvent(receiver, 'file.cold')

  type Page = { deliveries: Delivery[]; nextCursor: string | null }
  const page = async (query = '') => (await client.get<Page>(`/api/webhooks/${id}/deliveries${query}`)).body
  const succeeded = { webhookId: id, statusCode: 200, success: true, attempts: 1, error: null }
  await expect.poll(async () => (await page()).deliveries).toHaveLength(3)
  await expect.poll(async () => (await page()).deliveries).toEqual(Array(3).fill(expect.objectContaining(succeeded)))
  const all = (await page()).deliveries
  expect(all.map(({ event }) => event).toSorted()).toEqual(['file.cold', 'file.hot', 'file.synced'])
  const first = await page('?limit=2')
  const second = await page(`?limit=2&cursor=${first.nextCursor}`)
  expect([...first.deliveries, ...second.deliveries]).toEqual(all)
  expect(second.nextCursor).toBeNull()
  expect((await page('?event=file.hot')).deliveries.map(({ event }) => event)).toEqual(['file.hot'])
  expect((await page('?success=false')).deliveries).toEqual([])
})

test.concurrent('an inactive webhook gets nothing, and what happened meanwhile is not sent when it is active again', async () => {
  const [stack, client] = [sharedStack(), freshAccount()]
  await using receiver = await startReceiver()
  await using witness = await startReceiver()
  const { id } = await createWebhook(client, receiver, allEvents)
  await createWebhook(client, witness, allEvents)
  const vault = await createVault(client, 'public')
  await using held = await holdProcesses(stack, 'eviction')
  await client.patch(`/api/webhooks/${id}`, { active: false })
  const file = await uploadFile(client, { vaultId: vault.id, bytes: uniqueBytes() })
  await untilEvent(witness, 'file.synced')
  expect(receiver.requests).toHaveLength(0)
  await client.patch(`/api/webhooks/${id}`, { active: true })
  await held.release('eviction')
  await untilStatus(client, file.id, 'cold')
  await untilEvent(receiver, 'file.cold')
  expect(eventsOf(receiver).map(({ event }) => event)).toEqual(['file.cold'])
})
