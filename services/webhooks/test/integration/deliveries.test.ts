import { listDeliveries, readDelivery } from '@tideport/contracts/public/webhooks'
import { setUpOnce } from '@tideport/testing/set-up-once'
import { describe, expect, it } from 'vitest'
import { claimDeliveries } from '../../src/delivery/claim-deliveries.ts'
import { deliver } from '../../src/delivery/deliver.ts'
import { fileEvent, setup } from './setup.ts'

const t = setUpOnce(() => setup({ retryScale: 1 }))

/** A webhook with five deliveries: of file.hot and file.cold in turn, the first two of them failed. */
async function withHistory() {
  const hook = await t.webhook({ events: ['file.hot', 'file.cold'] })
  const eventIds: string[] = []
  for (const [index, event] of (['file.hot', 'file.cold', 'file.hot', 'file.cold', 'file.hot'] as const).entries()) {
    const news = fileEvent(hook.account, event)
    await t.receive(news)
    eventIds.push(news.eventId)
    t.receiver.respondWith({ status: index < 2 ? 500 : 200 })
    const { deliveries } = await claimDeliveries(t.db, { limit: 10, claimSeconds: 600 })
    for (const claimed of deliveries.filter(({ eventId }) => eventId === news.eventId)) await deliver(t, claimed)
  }
  const list = async (query: string) => {
    const answer = await t.call(hook.account, 'GET', `${hook.path}/deliveries?${query}`)
    if (answer.status === 200) listDeliveries.success.schema.parse(answer.body)
    return answer
  }
  return { hook, eventIds, list }
}

const eventIdsOf = (body: { deliveries: { eventId: string }[] }) => body.deliveries.map(({ eventId }) => eventId)

describe('GET /api/webhooks/:webhookId/deliveries', () => {
  it('lists newest first, page by page', async () => {
    const { eventIds, list } = await withHistory()
    const { body: first } = await list('limit=3')
    const { body: second } = await list(`limit=3&cursor=${first.nextCursor}`)
    expect([...eventIdsOf(first), ...eventIdsOf(second)]).toEqual(eventIds.toReversed())
    expect(second.nextCursor).toBeNull()
    expect(eventIdsOf((await list('limit=100000')).body)).toHaveLength(5)
  })

  it('filters by success and by event', async () => {
    const { eventIds, list } = await withHistory()
    const [a, b, c, d, e] = eventIds
    expect(eventIdsOf((await list('success=true')).body)).toEqual([e, d, c])
    expect(eventIdsOf((await list('success=false')).body)).toEqual([b, a])
    expect(eventIdsOf((await list('event=file.cold')).body)).toEqual([d, b])
    expect(eventIdsOf((await list('event=file.cold&success=false')).body)).toEqual([b])
  })

  it('answers 400 to filters it does not know and to a cursor of other filters', async () => {
    const { list } = await withHistory()
    for (const query of ['success=maybe', 'event=file.renamed', 'limit=0', 'limit=x', 'cursor=x']) {
      expect((await list(query)).status, query).toBe(400)
    }
    const { body } = await list('limit=1&success=true')
    expect((await list(`limit=1&success=false&cursor=${body.nextCursor}`)).status).toBe(400)
  })

  it('shows status 0 and no success for what was not sent yet', async () => {
    const hook = await t.webhook()
    await t.receive(fileEvent(hook.account))
    const { body } = await t.call(hook.account, 'GET', `${hook.path}/deliveries`)
    expect(body.deliveries).toMatchObject([{ attempts: 0, statusCode: 0, success: false, error: null }])
  })
})

describe('GET /api/webhooks/:webhookId/deliveries/:deliveryId', () => {
  it('shows one delivery with its attempts, and only under its own webhook', async () => {
    const { hook, list } = await withHistory()
    const [newest] = (await list('')).body.deliveries
    const { body } = await t.call(hook.account, 'GET', `${hook.path}/deliveries/${newest.id}`)
    expect(readDelivery.success.schema.parse(body)).toMatchObject({ ...newest, attemptLog: [{ statusCode: 200 }] })
    expect(body.body).toBe(t.receiver.requests.at(-1)?.body.toString())
    const other = await t.webhook({ account: hook.account })
    expect((await t.call(hook.account, 'GET', `${other.path}/deliveries/${newest.id}`)).status).toBe(404)
  })
})
