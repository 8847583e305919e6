import { listDeliveries, readDelivery } from '@tideport/contracts/public/webhooks'
import { setUpOnce } from '@tideport/testing/set-up-once'
import { describe, expect, it } from 'vitest'
import { deliver } from '../../src/delivery/deliver.ts'
import { claim, fileEvent, setup } from './setup.ts'

const t = setUpOnce(() => setup({ retryScale: 1 }))

/** A webhook with two sent deliveries. */
async function withHistory() {
  const hook = await t.webhook()
  for (let sent = 0; sent < 2; sent++) {
    await t.receive(fileEvent(hook.account))
    for (const claimed of await claim(t)) await deliver(t, claimed)
  }
  const list = async (query: string) => {
    const answer = await t.call(hook.account, 'GET', `${hook.path}/deliveries?${query}`)
    if (answer.status === 200) listDeliveries.success.schema.parse(answer.body)
    return answer
  }
  return { hook, list }
}

describe('GET /api/webhooks/:webhookId/deliveries', () => {
  it('returns 400 for unknown filters and for a cursor of other filters', async () => {
    const { list } = await withHistory()
    for (const query of ['success=maybe', 'event=file.renamed', 'limit=0', 'limit=x', 'cursor=x']) {
      expect((await list(query)).status, query).toBe(400)
    }
    const { body } = await list('limit=1&success=true')
    expect((await list(`limit=1&success=false&cursor=${body.nextCursor}`)).status).toBe(400)
  })

  it('shows status 0 and no success for a delivery that has not been sent yet', async () => {
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
