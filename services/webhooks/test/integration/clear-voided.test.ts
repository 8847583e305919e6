import { setUpOnce } from '@tideport/testing/set-up-once'
import { describe, expect, it } from 'vitest'
import { deliver } from '../../src/delivery/deliver.ts'
import { prune } from '../../src/delivery/prune-log.ts'
import { clearVoided } from '../../src/subscriptions/clear-voided.ts'
import { disableWebhook } from '../../src/subscriptions/disable-webhook.ts'
import { claim, fileEvent, type Hook, newAccount, type Setup, setup } from './setup.ts'

const t = setUpOnce(setup)

const BACKLOG = 3500

/** A webhook with far more pending deliveries than one batch. */
async function withBacklog(): Promise<Hook> {
  const hook = await t.webhook()
  await t.database.sql(
    `insert into delivery (id, webhook_id, event_id, event, body)
     select gen_random_uuid(), $1, gen_random_uuid(), 'file.hot', '{}' from generate_series(1, $2::integer)`,
    [hook.id, BACKLOG],
  )
  return hook
}

/** All deliveries, each with the last transaction that wrote it. */
const written = () => t.database.sql('select id, xmin::text from delivery order by id')

const pending = async () => (await t.database.sql('select from delivery where next_attempt_at is not null')).length

describe('a webhook with a long backlog', () => {
  it.each([
    ['disabled by PATCH', (t: Setup, hook: Hook) => t.call(hook.account, 'PATCH', hook.path, { active: false })],
    ['disabled because of its receiver', (t: Setup, hook: Hook) => disableWebhook(t.db, hook.id, 'Gone')],
    ['deleted', (t: Setup, hook: Hook) => t.call(hook.account, 'DELETE', hook.path)],
  ])('%s, sends nothing, and the change writes no delivery', async (_, change) => {
    const hook = await withBacklog()
    const before = await written()
    await change(t, hook)
    expect(await written()).toEqual(before)
    expect(await claim(t)).toEqual([])
  })

  it('shows pending deliveries as skipped immediately when it is disabled, before they are cleared', async () => {
    const hook = await withBacklog()
    await t.call(hook.account, 'PATCH', hook.path, { active: false })
    const shown = async () => {
      const { body } = await t.call(hook.account, 'GET', `${hook.path}/deliveries?limit=1`)
      const { body: one } = await t.call(hook.account, 'GET', `${hook.path}/deliveries/${body.deliveries[0].id}`)
      return [body.deliveries[0], { ...one, attemptLog: undefined }]
    }
    const skipped = { error: 'Skipped because the webhook was switched off', nextAttemptAt: null, success: false }
    const before = await shown()
    expect(before).toMatchObject([skipped, skipped])
    await Promise.all([clearVoided(t.db), clearVoided(t.db)])
    await clearVoided(t.db)
    expect(await pending()).toBe(0)
    expect(await shown()).toEqual(before)
    await t.database.sql(`update delivery set created_at = now() - interval '31 days'`)
    await prune(t.db, 30 * 86_400)
    expect(await t.database.sql('select from delivery')).toEqual([])
  })

  it('sends only new deliveries when it is enabled again before the backlog is cleared', async () => {
    const hook = await withBacklog()
    const [underWay] = await claim(t)
    // So long ago that `untilQuiet` does not wait for it.
    await t.database.sql(`update delivery set claimed_at = now() - interval '1 minute' where claimed_at is not null`)
    await t.call(hook.account, 'PATCH', hook.path, { active: false })
    await t.call(hook.account, 'PATCH', hook.path, { active: true })
    t.receiver.respondWith({ status: 500 })
    if (underWay) await deliver(t, underWay)
    const news = fileEvent(hook.account)
    await t.receive(news)
    expect((await claim(t)).map(({ eventId }) => eventId)).toEqual([news.eventId])
    await clearVoided(t.db)
    const left = await t.database.sql('select event_id from delivery where next_attempt_at is not null')
    expect(left.map(({ event_id }) => event_id)).toContain(news.eventId)
    const { body } = await t.call(hook.account, 'GET', `${hook.path}/deliveries/${underWay?.id}`)
    expect(body).toMatchObject({ attempts: 1, statusCode: 500, nextAttemptAt: null })
  })

  it('can redeliver an old delivery once', async () => {
    const hook = await withBacklog()
    const { body } = await t.call(hook.account, 'GET', `${hook.path}/deliveries?limit=1`)
    await t.call(hook.account, 'PATCH', hook.path, { active: false })
    await t.call(hook.account, 'PATCH', hook.path, { active: true })
    const path = `${hook.path}/deliveries/${body.deliveries[0].id}`
    expect((await t.call(hook.account, 'POST', `${path}/redeliver`)).status).toBe(200)
    await clearVoided(t.db)
    t.receiver.respondWith({ status: 500 })
    const claimed = await claim(t)
    for (const delivery of claimed) await deliver(t, delivery)
    expect(claimed.map(({ id }) => id)).toEqual([body.deliveries[0].id])
    expect((await t.call(hook.account, 'GET', path)).body).toMatchObject({ attempts: 1, nextAttemptAt: null })
    expect(await pending()).toBe(0)
  })

  it('disappears from every route when it is deleted, no longer counts, and is removed in batches', async () => {
    const hook = await withBacklog()
    const { body } = await t.call(hook.account, 'GET', `${hook.path}/deliveries?limit=1`)
    const delivery = `${hook.path}/deliveries/${body.deliveries[0].id}`
    expect((await t.call(hook.account, 'DELETE', hook.path)).status).toBe(200)
    const answers = await Promise.all([
      t.call(hook.account, 'GET', hook.path),
      t.call(hook.account, 'DELETE', hook.path),
      t.call(hook.account, 'PATCH', hook.path, { active: true }),
      t.call(hook.account, 'POST', `${hook.path}/test`),
      t.call(hook.account, 'POST', `${hook.path}/rotate-secret`),
      t.call(hook.account, 'GET', `${hook.path}/deliveries`),
      t.call(hook.account, 'GET', delivery),
      t.call(hook.account, 'POST', `${delivery}/redeliver`),
    ])
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 404))
    expect((await t.call(hook.account, 'GET', '/api/webhooks')).body.webhooks).toEqual([])
    for (let index = 0; index < 20; index++) await t.webhook({ account: hook.account })
    const other = await t.webhook()
    await t.receive(fileEvent(other.account))
    await Promise.all([clearVoided(t.db), clearVoided(t.db), clearVoided(t.db)])
    await clearVoided(t.db)
    expect(await t.database.sql('select webhook_id from delivery')).toEqual([{ webhook_id: other.id }])
    expect(await t.database.sql('select from webhook')).toHaveLength(21)
  })

  it('keeps its row during an attempt and is removed afterward', async () => {
    const hook = await t.webhook()
    await t.receive(fileEvent(hook.account))
    await claim(t)
    await t.database.sql(`update delivery set claimed_at = now() - interval '1 minute'`)
    await t.call(hook.account, 'DELETE', hook.path)
    await clearVoided(t.db)
    expect(await t.database.sql('select from delivery')).toHaveLength(1)
    await t.database.sql('update delivery set claimed_until = now()')
    await clearVoided(t.db)
    expect(await t.database.sql('select from webhook')).toEqual([])
  })

  it('is cleared while many others wait for attempts in progress', async () => {
    const account = newAccount()
    const accounts = [account, newAccount()]
    const hooks: Hook[] = []
    for (let index = 0; index < 40; index++) hooks.push(await t.webhook({ account: accounts[index % 2] ?? account }))
    for (const owner of accounts) await t.receive(fileEvent(owner))
    const last = await t.webhook()
    await t.receive(fileEvent(last.account))
    await t.database.sql(`update delivery set claimed_until = now() + interval '1 minute' where webhook_id <> $1`, [
      last.id,
    ])
    for (const hook of [...hooks, last]) await disableWebhook(t.db, hook.id, 'Gone')
    await clearVoided(t.db)
    const left = await t.database.sql('select webhook_id from delivery where next_attempt_at is not null')
    expect(left.map((row) => row.webhook_id).toSorted()).toEqual(hooks.map(({ id }) => id).toSorted())
    await t.database.sql('update delivery set claimed_until = now()')
    await clearVoided(t.db)
    expect(await pending()).toBe(0)
    expect(await t.database.sql('select from webhook where voided_at is not null')).toEqual([])
  })

  it('also skips a delivery that is inserted after the webhook was disabled', async () => {
    const hook = await t.webhook()
    await disableWebhook(t.db, hook.id, 'Gone')
    await clearVoided(t.db)
    const late = `insert into delivery (id, webhook_id, activation, event_id, event, body)
      values (gen_random_uuid(), $1, 0, gen_random_uuid(), 'file.hot', '{}')`
    await t.database.sql(late, [hook.id])
    await clearVoided(t.db)
    expect(await pending()).toBe(0)
  })
})
