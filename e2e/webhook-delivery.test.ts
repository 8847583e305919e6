import { createHmac } from 'node:crypto'
import { type Receiver, startReceiver } from '@tideport/testing/receiver'
import { Webhook as StandardWebhook } from 'standardwebhooks'
import { expect, test } from 'vitest'
import { createVault } from './support/account.ts'
import type { ApiClient } from './support/api-client.ts'
import type { Delivery, WebhookBody } from './support/resources.ts'
import { freshAccount } from './support/shared-stack.ts'
import { uniqueBytes, uploadFile } from './support/uploads.ts'
import { createWebhook, eventsOf, untilEvent } from './support/webhook-events.ts'

const sendTest = (client: ApiClient, webhookId: string) => client.post<Delivery>(`/api/webhooks/${webhookId}/test`)
const headersOf = (receiver: Receiver, index = 0) => receiver.requests[index]?.headers as Record<string, string>

async function hotFile(client: ApiClient) {
  const vault = await createVault(client, 'public')
  return await uploadFile(client, {
    vaultId: vault.id,
    bytes: uniqueBytes(),
    name: 'naïve 🗂.txt',
    mimeType: 'text/plain',
  })
}

test.concurrent('a delivery is a POST of JSON whose signature anyone can recompute over the exact bytes', async () => {
  const client = freshAccount()
  await using receiver = await startReceiver()
  const { secret } = await createWebhook(client, receiver, ['file.hot'])
  await hotFile(client)
  await untilEvent(receiver, 'file.hot')

  const { method, body } = receiver.requests[0] as Receiver['requests'][number]
  const headers = headersOf(receiver)
  expect([method, headers['content-type']]).toEqual(['POST', expect.stringMatching(/^application\/json/)])
  const expected = createHmac('sha256', Buffer.from(secret, 'utf8')).update(body).digest('hex')
  expect(headers['x-service-signature']).toBe(expected)
  expect(expected).toMatch(/^[0-9a-f]{64}$/)
  const tampered = Buffer.from(String(body).replace('file.hot', 'file.hox'))
  expect(createHmac('sha256', secret).update(tampered).digest('hex')).not.toBe(headers['x-service-signature'])
})

test.concurrent('the Standard Webhooks library verifies a delivery, and refuses one with another secret or other bytes', async () => {
  const client = freshAccount()
  await using receiver = await startReceiver()
  const { secret } = await createWebhook(client, receiver, ['file.hot'])
  await hotFile(client)
  await untilEvent(receiver, 'file.hot')
  const [text, headers] = [String(receiver.requests[0]?.body), headersOf(receiver)]
  expect(new StandardWebhook(secret).verify(text, headers)).toEqual(JSON.parse(text))
  expect(() => new StandardWebhook(secret).verify(`${text} `, headers)).toThrow()
  const otherSecret = `whsec_${Buffer.alloc(32, 1).toString('base64')}`
  expect(() => new StandardWebhook(otherSecret).verify(text, headers)).toThrow()
})

test.concurrent('a test delivery is sent on demand, signed like any other, and answered as its record', async () => {
  const client = freshAccount()
  await using receiver = await startReceiver()
  const { id, secret } = await createWebhook(client, receiver, ['file.synced', 'file.hot'])
  const answer = await sendTest(client, id)
  expect([answer.status, answer.body]).toMatchObject([
    200,
    { webhookId: id, event: 'file.synced', statusCode: 200, success: true },
  ])

  const sent = eventsOf(receiver) as [WebhookBody]
  expect(sent).toHaveLength(1)
  expect(sent[0]).toMatchObject({
    event: 'file.synced',
    data: { status: 'synced', storageNetworkBlobId: expect.any(String) },
  })
  const headers = headersOf(receiver)
  expect(headers).toMatchObject({ 'x-service-test': 'true', 'x-service-delivery-id': answer.body.id })
  const signature = createHmac('sha256', secret)
    .update(receiver.requests[0]?.body ?? '')
    .digest('hex')
  expect(headers['x-service-signature']).toBe(signature)
  const history = await client.get<{ deliveries: Delivery[] }>(`/api/webhooks/${id}/deliveries`)
  expect(history.body.deliveries).toMatchObject([{ id: answer.body.id, event: 'file.synced', success: true }])
})

test.concurrent('a test delivery is 200 with the outcome also when the receiver answers an error or not at all', async () => {
  const client = freshAccount()
  const receiver = await startReceiver({ respond: { status: 500 } })
  const { id } = await createWebhook(client, receiver, ['file.hot'])
  const failed = await sendTest(client, id)
  expect([failed.status, failed.body]).toMatchObject([200, { statusCode: 500, success: false }])
  await receiver.dispose()
  const unanswered = await sendTest(client, id)
  expect([unanswered.status, unanswered.body]).toMatchObject([
    200,
    { statusCode: 0, success: false, error: expect.any(String) },
  ])
})

test.concurrent('a failed delivery is repeated under the same id with the same bytes until it succeeds', async ({
  expect,
}) => {
  const client = freshAccount()
  const respond = [{ status: 500 }, { status: 302, headers: { Location: 'http://127.0.0.1:9/' } }]
  await using receiver = await startReceiver({ respond })
  const { id, secret } = await createWebhook(client, receiver, ['file.hot'])
  await hotFile(client)
  const path = `/api/webhooks/${id}/deliveries`
  const history = async () => (await client.get<{ deliveries: Delivery[] }>(path)).body.deliveries
  await expect.poll(history).toMatchObject([{ attempts: 3, statusCode: 200, success: true }])

  const ids = receiver.requests.map((_, index) => headersOf(receiver, index)['webhook-id'])
  const bodies = receiver.requests.map(({ body }) => String(body))
  expect([ids.length, new Set(ids).size, new Set(bodies).size]).toEqual([3, 1, 1])
  for (const [index, body] of bodies.entries()) new StandardWebhook(secret).verify(body, headersOf(receiver, index))
  const [delivery] = await history()
  const { body } = await client.get<{ attemptLog: object[] }>(`${path}/${delivery?.id}`)
  expect(body.attemptLog).toMatchObject([
    { attempt: 1, statusCode: 500, success: false },
    { attempt: 2, statusCode: 302, success: false },
    { attempt: 3, statusCode: 200, success: true },
  ])
})

test.concurrent('a receiver that always refuses is told again and again, and its history says so', async ({
  expect,
}) => {
  const client = freshAccount()
  await using receiver = await startReceiver({ respond: { status: 401 } })
  const { id } = await createWebhook(client, receiver, ['file.hot'])
  await hotFile(client)
  const history = async () =>
    (await client.get<{ deliveries: Delivery[] }>(`/api/webhooks/${id}/deliveries`)).body.deliveries
  await expect.poll(history).toMatchObject([{ event: 'file.hot', statusCode: 401, success: false }])
  await receiver.waitFor(() => receiver.requests.length >= 2)
})
