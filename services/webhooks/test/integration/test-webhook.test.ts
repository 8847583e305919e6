import { startReceiver } from '@tideport/testing/receiver'
import { setUpOnce } from '@tideport/testing/set-up-once'
import { describe, expect, it } from 'vitest'
import { setup } from './setup.ts'

const t = setUpOnce(() => setup({ replicas: 1 }))

describe('POST /api/webhooks/:webhookId/test', () => {
  it('returns 200 with the receiver’s status, or with statusCode 0 without a response, and never retries', async () => {
    const closed = await startReceiver()
    await closed.dispose()
    const dead = await t.webhook({ url: closed.url })
    const nothing = await t.call(dead.account, 'POST', `${dead.path}/test`)
    expect(nothing).toMatchObject({ status: 200, body: { statusCode: 0, success: false, nextAttemptAt: null } })
    const hook = await t.webhook()
    t.receiver.respondWith({ status: 401 })
    const refused = await t.call(hook.account, 'POST', `${hook.path}/test`)
    expect(refused).toMatchObject({ status: 200, body: { statusCode: 401, success: false, nextAttemptAt: null } })
    expect(await t.database.sql('select from delivery where next_attempt_at is not null')).toEqual([])
  })

  it('works on a disabled webhook, and counts neither as a failure nor as a success', async () => {
    const hook = await t.webhook()
    await t.database.sql('update webhook set consecutive_failures = 3')
    await t.call(hook.account, 'PATCH', hook.path, { active: false })
    for (const status of [200, 500, 410]) {
      t.receiver.respondWith({ status })
      const { body } = await t.call(hook.account, 'POST', `${hook.path}/test`)
      expect(body.statusCode).toBe(status)
    }
    const { body } = await t.call(hook.account, 'GET', hook.path)
    expect(body).toMatchObject({ active: false, consecutiveFailures: 3, disabledReason: null })
  })

  it('returns 429 after five tests in a minute, also simultaneous ones, without affecting other webhooks', async () => {
    const hook = await t.webhook()
    const ask = () => t.call(hook.account, 'POST', `${hook.path}/test`)
    const answers = await Promise.all(Array.from({ length: 8 }, ask))
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 200, 200, 200, 200, 429, 429, 429])
    expect(await ask()).toMatchObject({ status: 429, body: { code: 'rate_limited' } })
    expect(t.receiver.requests).toHaveLength(5)
    const other = await t.webhook({ account: hook.account })
    expect((await t.call(hook.account, 'POST', `${other.path}/test`)).status).toBe(200)
    await t.database.sql(`update delivery set created_at = created_at - interval '1 minute'`)
    expect((await ask()).status).toBe(200)
  })
})
