import { setUpOnce } from '@tideport/testing/set-up-once'
import { expect, it } from 'vitest'
import { forgetOperations } from '../../src/delivery/prune-log.ts'
import { exhausted, sendDue } from './exhausted.ts'
import { fileEvent, newAccount, setup } from './setup.ts'

const t = setUpOnce(setup)

const path = '/api/operator/webhooks'
const olga = { ...newAccount(), method: 'jwt' as const, subject: 'olga', isOperator: true }
const redrive = async (body: object) => t.call(olga, 'POST', `${path}/redrive`, body)
const list = async (query = '') => (await t.call(olga, 'GET', `${path}/dead-letters${query}`)).body
const planned = async () => (await t.database.sql('select id from delivery where is_redelivery')).map(({ id }) => id)

it('lists dead-lettered deliveries in pages, without successful, test, and skipped deliveries', async () => {
  const given = [await exhausted(t), await exhausted(t), await exhausted(t)]
  const fine = await t.webhook()
  t.receiver.respondWith({ status: 200 })
  await t.receive(fileEvent(fine.account))
  await sendDue(t)
  t.receiver.respondWith({ status: 500 })
  await t.call(fine.account, 'POST', `${fine.path}/test`)
  await t.receive(fileEvent(fine.account))
  await t.call(fine.account, 'PATCH', fine.path, { active: false })

  const first = await t.call(olga, 'GET', `${path}/dead-letters?limit=2`)
  expect([first.status, first.cost]).toEqual([200, '4'])
  const second = await list(`?limit=2&cursor=${first.body.nextCursor}`)
  const all = [...first.body.deadLetters, ...second.deadLetters]
  expect(all.map(({ id }) => id)).toEqual(given.map(({ deliveryId }) => deliveryId))
  expect(second.nextCursor).toBeNull()
  expect(all[0]).toEqual({
    ...{ id: given[0]?.deliveryId, webhookId: given[0]?.hook.id, accountId: given[0]?.hook.account.accountId },
    ...{
      event: 'file.hot',
      attempts: 10,
      statusCode: 500,
      error: 'HTTP status 500',
      since: expect.any(String),
      active: true,
    },
  })
  expect((await list('?olderThanSeconds=3600')).deadLetters).toEqual([])
})

it('returns the expected outcome in a dry run, and redelivers by the rules for owners', async () => {
  const [on, off] = [await exhausted(t), await exhausted(t)]
  await t.call(off.hook.account, 'PATCH', off.hook.path, { active: false })
  const outcomesOf = async (body: object) =>
    Object.fromEntries((await redrive(body)).body.redriven.map((one: Record<string, string>) => [one.deliveryId, one.outcome])) // biome-ignore format: one chain
  const outcomes = { [on.deliveryId]: 'would_be_tried', [off.deliveryId]: 'switched_off' }
  expect(await outcomesOf({})).toEqual(outcomes)
  expect(await planned()).toEqual([])
  expect(await outcomesOf({ dryRun: false })).toEqual({ ...outcomes, [on.deliveryId]: 'planned' })
  expect(await planned()).toEqual([on.deliveryId])

  const nobodys = crypto.randomUUID()
  const named = [on.deliveryId, off.deliveryId, nobodys]
  expect(await outcomesOf({ deliveryIds: named, dryRun: false })).toEqual({
    ...{ [on.deliveryId]: 'not_given_up', [off.deliveryId]: 'switched_off', [nobodys]: 'not_found' },
  })
  t.receiver.respondWith({ status: 200 })
  await sendDue(t)
  expect((await list()).deadLetters).toMatchObject([{ id: off.deliveryId, active: false }])
})

it('redrives each delivery that was dead-lettered before the start once, even if it fails again immediately', async () => {
  const given = [await exhausted(t), await exhausted(t), await exhausted(t)]
  const seen: string[] = []
  for (let cursor: string | null | undefined; cursor !== null; ) {
    const { body } = await redrive({ limit: 1, dryRun: false, cursor })
    seen.push(...body.redriven.map(({ deliveryId }: { deliveryId: string }) => deliveryId))
    await t.database.sql(`update delivery set next_attempt_at = null, done_at = now() + interval '1 second',
      is_redelivery = false where is_redelivery`)
    cursor = body.nextCursor
  }
  expect(seen).toEqual(given.map(({ deliveryId }) => deliveryId))
})

it('neither lists nor sends deliveries of a deleted webhook', async () => {
  const { hook, deliveryId } = await exhausted(t)
  await t.database.sql('update webhook set deleted_at = now() where id = $1', [hook.id])
  expect(await list()).toEqual({ deadLetters: [], nextCursor: null })
  const { body } = await redrive({ deliveryIds: [deliveryId], dryRun: false })
  expect(body.redriven).toMatchObject([{ outcome: 'not_found', accountId: null }])
})

it('records the operator before any action, and deletes the record with the audit log', async () => {
  await redrive({ olderThanSeconds: 60, dryRun: false })
  const events = async () => (await t.call(olga, 'GET', `${path}/events`)).body.events
  const details = { olderThanSeconds: 60, dryRun: false, named: null, deliveries: 0 }
  expect(await events()).toMatchObject([
    { kind: 'webhooks.redrive', accountId: olga.accountId, subject: 'olga', details },
  ])
  await forgetOperations(t.db, 3600)
  expect(await events()).toHaveLength(1)
  await t.database.sql(`update operator_event set at = now() - interval '2 hours'`)
  await forgetOperations(t.db, 3600)
  expect(await events()).toEqual([])
})

it('rejects non-operators and invalid selections', async () => {
  const stranger = newAccount()
  const paths = [
    ['GET', 'dead-letters'],
    ['GET', 'events'],
    ['POST', 'redrive'],
  ] as const
  for (const [method, name] of paths) expect((await t.call(stranger, method, `${path}/${name}`)).status).toBe(404)
  const wrong = [
    { deliveryIds: [] },
    { deliveryIds: ['1'] },
    { deliveryIds: [crypto.randomUUID()], olderThanSeconds: 1 },
    { deliveryIds: Array.from({ length: 101 }, () => crypto.randomUUID()) },
    { limit: 101 },
    { dryRun: 'no' },
    { cursor: 'x' },
  ]
  for (const body of wrong) expect((await redrive(body)).status, JSON.stringify(body)).toBe(400)
  expect((await redrive({ cursor: 'x' })).body.error).toBe('The request body is not valid')
})

it('reads at most a page, however many deliveries were sent', async () => {
  const { hook } = await exhausted(t)
  await t.database.sql(
    `insert into delivery (id, webhook_id, event_id, event, body, activation, attempts, success, next_attempt_at, done_at)
     select gen_random_uuid(), $1, gen_random_uuid(), 'file.hot', '{}', 0, 1, true, null, now()
     from generate_series(1, 20000)`,
    [hook.id],
  )
  await t.database.sql('analyze delivery')
  const plan = await t.database.sql<{ 'QUERY PLAN': string }>(
    `explain select id from delivery where not success and not is_test and attempts > 0 and done_at is not null
     and error is distinct from 'Skipped because the webhook was switched off' and done_at <= now()
     order by done_at, id limit 50`,
  )
  expect(plan.map((line) => line['QUERY PLAN']).join('\n')).toContain('delivery_given_up')
})
