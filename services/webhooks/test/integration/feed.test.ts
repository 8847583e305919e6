import { readWebhookFeed } from '@tideport/contracts/public/webhooks'
import { setUpOnce } from '@tideport/testing/set-up-once'
import { waitFor } from '@tideport/testing/wait-for'
import { sql } from 'kysely'
import { expect, it } from 'vitest'
import { newestPosition } from '../../src/feed/read-feed.ts'
import { openWaitingReaders } from '../../src/feed/waiting-readers.ts'
import { fileEvent, type Hook, newAccount, setup } from './setup.ts'

const t = setUpOnce(() => setup({ poolSize: 2 }))

async function follow(hook: Hook, query = '') {
  const { status, body } = await t.call(hook.account, 'GET', `${hook.path}/feed?${query}`)
  expect(status, JSON.stringify(body)).toBe(200)
  return readWebhookFeed.success.schema.parse(body)
}

/** Reads `count` deliveries after the cursor. Transactions of other tests on this Postgres may delay them. */
async function collect(hook: Hook, count: number, from: string, limit = 100) {
  const told: Awaited<ReturnType<typeof follow>>['deliveries'] = []
  let cursor = from
  while (told.length < count) {
    const page = await follow(hook, `waitSeconds=20&limit=${limit}&cursor=${cursor}`)
    told.push(...page.deliveries)
    cursor = page.cursor
  }
  return { told, cursor }
}

it('returns deliveries since the cursor, oldest first, with the bytes that are sent', async () => {
  const hook = await t.webhook()
  const { cursor } = await follow(hook)
  await t.receive(fileEvent(hook.account))
  await collect(hook, 1, cursor)
  const begin = await follow(hook)
  expect(begin.deliveries).toEqual([])
  const news = [fileEvent(hook.account), fileEvent(hook.account), fileEvent(hook.account)]
  for (const one of news) await t.receive(one)
  const { told, cursor: end } = await collect(hook, 3, begin.cursor, 2)
  expect(told.map(({ eventId }) => eventId)).toEqual(news.map(({ eventId }) => eventId))
  expect(told.map(({ body }) => JSON.parse(body))).toEqual(news.map(({ payload }) => payload))
  expect((await follow(hook, `cursor=${end}`)).deliveries).toEqual([])
  expect((await follow(hook, `limit=2&cursor=${begin.cursor}`)).deliveries).toHaveLength(2)
  expect((await follow(hook, `cursor=${told[0]?.cursor}`)).deliveries).toHaveLength(2)
  // The gap may have any length.
  expect((await follow(hook, `cursor=${begin.cursor}`)).deliveries).toHaveLength(3)
})

it('omits no delivery that is written before a returned one but committed after it', async () => {
  const hook = await t.webhook()
  const { cursor } = await follow(hook)
  const insert = (label: string) => sql`
    insert into delivery (id, webhook_id, activation, event_id, event, body)
    values (gen_random_uuid(), ${hook.id}, 0, gen_random_uuid(), 'file.hot', ${label})`
  const { promise: mayCommit, resolve: commit } = Promise.withResolvers<void>()
  const { promise: isWritten, resolve: written } = Promise.withResolvers<void>()
  // This transaction has its ID, but no lock that the next one would wait for.
  const late = t.db.transaction().execute(async (trx) => {
    await sql`select pg_current_xact_id()`.execute(trx)
    written()
    await mayCommit
    await insert('first begun').execute(trx)
  })
  await isWritten
  await insert('first committed').execute(t.db)
  const meanwhile = await follow(hook, `cursor=${cursor}`)
  commit()
  await late
  const { told } = await collect(hook, 2 - meanwhile.deliveries.length, meanwhile.cursor)
  const bodies = [...meanwhile.deliveries, ...told].map(({ body }) => body)
  expect(bodies).toEqual(['first begun', 'first committed'])
})

it('waits for deliveries without a connection, and responds as soon as one arrives', async () => {
  const hook = await t.webhook()
  const { cursor } = await follow(hook)
  const waiting = Array.from({ length: 5 }, () => follow(hook, `waitSeconds=20&cursor=${cursor}`))
  const news = fileEvent(hook.account)
  await t.receive(news)
  for (const { deliveries } of await Promise.all(waiting)) expect(deliveries).toMatchObject([{ eventId: news.eventId }])
  // Written as by another replica, which wakes no reader here.
  const end = await follow(hook, `cursor=${cursor}`)
  const late = follow(hook, `waitSeconds=20&cursor=${end.cursor}`)
  await sql`insert into delivery (id, webhook_id, activation, event_id, event, body)
    values (gen_random_uuid(), ${hook.id}, 0, gen_random_uuid(), 'file.hot', '{}')`.execute(t.db)
  expect((await late).deliveries).toHaveLength(1)
})

it('limits the waiting requests of an account and returns 429 for others immediately', async () => {
  const hook = await t.webhook()
  const { cursor } = await follow(hook)
  const path = `${hook.path}/feed?waitSeconds=20&cursor=${cursor}`
  const answers: number[] = []
  const all = Array.from({ length: 13 }, () =>
    t.call(hook.account, 'GET', path).then(({ status }) => void answers.push(status)),
  )
  await waitFor(() => answers.length === 3)
  expect(answers).toEqual([429, 429, 429])
  await t.receive(fileEvent(hook.account))
  await Promise.all(all)
  expect(answers.filter((status) => status === 200)).toHaveLength(10)
})

it('rejects other accounts, a deleted webhook, and a cursor that is invalid or from another database', async () => {
  const hook = await t.webhook()
  expect((await t.call(newAccount(), 'GET', `${hook.path}/feed`)).status).toBe(404)
  const ahead = Buffer.from(JSON.stringify(['9000000000000000000', hook.id])).toString('base64url')
  for (const query of ['cursor=x', `cursor=${ahead}`, 'waitSeconds=21', 'waitSeconds=x', 'limit=0']) {
    expect((await t.call(hook.account, 'GET', `${hook.path}/feed?${query}`)).status, query).toBe(400)
  }
  const { signal } = new AbortController()
  await using readers = openWaitingReaders(t.db, { signal, log: t.log })
  const reader = { accountId: hook.account.accountId, webhookId: hook.id, after: await newestPosition(t.db) }
  const wait = readers.wait(reader, 3_600_000, signal)
  const waiting = t.call(hook.account, 'GET', `${hook.path}/feed?waitSeconds=20`)
  await t.call(hook.account, 'DELETE', hook.path)
  await wait
  expect((await waiting).status).toBe(404)
})
