import { createWebhook, readWebhook } from '@tideport/contracts/public/webhooks'
import { setUpOnce } from '@tideport/testing/set-up-once'
import { describe, expect, it } from 'vitest'
import { newAccount, setup } from './setup.ts'

const t = setUpOnce(setup)

const url = 'https://example.com/hook'
const events = ['file.hot', 'file.cold']
const missingId = '01890a5d-ac96-774b-bcce-b302099a8057'

describe('POST /api/webhooks', () => {
  it('returns 201 with the webhook and its secret, which no other response contains', async () => {
    const account = newAccount()
    const created = await t.call(account, 'POST', '/api/webhooks', { url, events })
    expect(created.status).toBe(201)
    expect(createWebhook.success.schema.parse(created.body)).toMatchObject({ url, events, active: true })
    const { secret, ...shown } = created.body
    const read = await t.call(account, 'GET', `/api/webhooks/${created.body.id}`)
    expect(read.body).toEqual(shown)
    const stored = await t.database.sql('select * from webhook')
    expect(JSON.stringify([stored, t.lines])).not.toContain(secret.slice('whsec_'.length))
  })

  it('limits an account to 20 webhooks, also when created simultaneously, without affecting other accounts', async () => {
    const account = newAccount()
    const create = () => t.call(account, 'POST', '/api/webhooks', { url, events })
    const answers = await Promise.all(Array.from({ length: 30 }, create))
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(20)
    const refused = answers.filter(({ status }) => status !== 201)
    expect(refused.map(({ status, body }) => [status, body.code])).toEqual(
      Array.from({ length: 10 }, () => [409, 'too_many_webhooks']),
    )
    const created = answers.find(({ status }) => status === 201)
    await t.call(account, 'DELETE', `/api/webhooks/${created?.body.id}`)
    expect((await create()).status).toBe(201)
    expect((await t.call(newAccount(), 'POST', '/api/webhooks', { url, events })).status).toBe(201)
  })
})

describe('GET /api/webhooks', () => {
  it.each(['asc', 'desc'])('lists all webhooks of an account in pages, in order of creation: %s', async (order) => {
    const account = newAccount()
    const ids: string[] = []
    for (let index = 0; index < 5; index++) ids.push((await t.webhook({ account })).id)
    await t.webhook()
    const listed: string[] = []
    let cursor: string | null = null
    do {
      const from = cursor === null ? '' : `&cursor=${cursor}`
      const { body } = await t.call(account, 'GET', `/api/webhooks?limit=2&order=${order}${from}`)
      listed.push(...body.webhooks.map(({ id }: { id: string }) => id))
      cursor = body.nextCursor
    } while (cursor !== null)
    expect(listed).toEqual(order === 'asc' ? ids : ids.toReversed())
  })

  it('returns 400 for a cursor of another order', async () => {
    const account = newAccount()
    await t.webhook({ account })
    await t.webhook({ account })
    const { body } = await t.call(account, 'GET', '/api/webhooks?limit=1&order=asc')
    const answer = await t.call(account, 'GET', `/api/webhooks?limit=1&order=desc&cursor=${body.nextCursor}`)
    expect(answer).toMatchObject({ status: 400, body: { code: 'validation_failed' } })
  })
})

describe('PATCH /api/webhooks/:webhookId', () => {
  it('changes only the given fields', async () => {
    const { account, path, id } = await t.webhook({ url, events: ['file.hot'] })
    const changed = await t.call(account, 'PATCH', path, { events: ['file.error'], active: false })
    expect(changed).toMatchObject({ status: 200, body: { id, url, events: ['file.error'], active: false } })
    const moved = await t.call(account, 'PATCH', path, { url: 'https://example.org/' })
    expect(readWebhook.success.schema.parse(moved.body)).toMatchObject({ url: 'https://example.org/', active: false })
    expect((await t.call(account, 'GET', path)).body).toEqual(moved.body)
  })
})

describe('access', () => {
  it('returns the same 404 for another account’s webhook and an unknown one, on every route', async () => {
    const { path, account } = await t.webhook()
    const { body: sent } = await t.call(account, 'POST', `${path}/test`)
    const stranger = newAccount()
    const calls = [
      ['GET', ''],
      ['PATCH', '', { active: false }],
      ['DELETE', ''],
      ['POST', '/test'],
      ['GET', '/deliveries'],
      ['GET', `/deliveries/${sent.id}`],
      ['POST', `/deliveries/${sent.id}/redeliver`],
      ['POST', '/rotate-secret'],
    ] as const
    for (const [method, rest, body] of calls) {
      const foreign = await t.call(stranger, method, `${path}${rest}`, body)
      expect(foreign).toMatchObject({ status: 404, body: { code: 'not_found' } })
      expect(await t.call(stranger, method, `/api/webhooks/${missingId}${rest}`, body)).toEqual(foreign)
      expect(await t.call(stranger, method, `/api/webhooks/not-an-id${rest}`, body)).toEqual(foreign)
    }
    expect((await t.call(account, 'GET', path)).body.active).toBe(true)
  })
})
