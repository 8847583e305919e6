import { redeliver } from '@tideport/contracts/public/webhooks'
import { setUpOnce } from '@tideport/testing/set-up-once'
import { waitFor } from '@tideport/testing/wait-for'
import { describe, expect, it } from 'vitest'
import { deliver } from '../../src/delivery/deliver.ts'
import { makeReady } from '../../src/delivery/ready-webhooks.ts'
import { withdrawClaim } from '../../src/delivery/record-outcome.ts'
import { exhausted, sendDue } from './exhausted.ts'
import { claim, fileEvent, type Hook, type Setup, setup } from './setup.ts'

const t = setUpOnce(setup)

/** A webhook with one delivery after one attempt. */
async function attemptedOnce(t: Setup, status: number) {
  const hook = await t.webhook()
  t.receiver.respondWith({ status })
  const { eventId } = fileEvent(hook.account)
  await t.receive({ ...fileEvent(hook.account), eventId })
  await sendDue(t)
  const { body } = await t.call(hook.account, 'GET', `${hook.path}/deliveries`)
  return { hook, eventId, path: `${hook.path}/deliveries/${body.deliveries[0].id}` }
}

async function askAgain(t: Setup, { account }: Hook, path: string) {
  const answer = await t.call(account, 'POST', `${path}/redeliver`)
  if (answer.status === 200) redeliver.success.schema.parse(answer.body)
  return answer
}

const read = async (t: Setup, { account }: Hook, path: string) => (await t.call(account, 'GET', path)).body
const conflict = { status: 409, body: { code: 'state_conflict' } }

describe('POST …/deliveries/:deliveryId/redeliver', () => {
  it('sends a successful delivery again with the same ID and bytes, and logs one more attempt', async () => {
    const { hook, eventId, path } = await attemptedOnce(t, 200)
    const asked = await askAgain(t, hook, path)
    expect(asked).toMatchObject({ status: 200, body: { attempts: 1, nextAttemptAt: expect.any(String) } })
    expect(await sendDue(t)).toBe(1)
    expect(t.receiver.requests.map(({ headers }) => headers['webhook-id'])).toEqual([eventId, eventId])
    expect(new Set(t.receiver.requests.map(({ body }) => String(body))).size).toBe(1)
    expect(await read(t, hook, path)).toMatchObject({ attempts: 2, success: true, nextAttemptAt: null })
  })

  it('is not retried automatically when it fails after the end of the schedule', async () => {
    const { hook, path } = await attemptedOnce(t, 200)
    t.receiver.respondWith({ status: 500 })
    await askAgain(t, hook, path)
    await sendDue(t)
    expect(await read(t, hook, path)).toMatchObject({ attempts: 2, success: false, statusCode: 500, nextAttemptAt: null }) // biome-ignore format: one line
    expect(await sendDue(t)).toBe(0)
  })

  it('uses up no attempt of a schedule in progress, and ends the schedule on success', async () => {
    const slow = { ...t, retryScale: 1 }
    const { hook, path } = await attemptedOnce(slow, 500)
    const { nextAttemptAt: planned } = await read(t, hook, path)
    await askAgain(t, hook, path)
    expect(await sendDue(slow)).toBe(1)
    expect(await read(t, hook, path)).toMatchObject({ attempts: 2, success: false, nextAttemptAt: planned })
    const [row] = await t.database.sql('select attempts - redeliveries as position from delivery')
    expect(row).toEqual({ position: 1 })
    t.receiver.respondWith({ status: 200 })
    await askAgain(t, hook, path)
    await waitFor(async () => (await sendDue(slow)) === 1)
    expect(await read(t, hook, path)).toMatchObject({ attempts: 3, success: true, nextAttemptAt: null })
  })

  it('redelivers a dead-lettered delivery', async () => {
    const { hook, deliveryId } = await exhausted(t)
    const path = `${hook.path}/deliveries/${deliveryId}`
    t.receiver.respondWith({ status: 200 })
    await askAgain(t, hook, path)
    expect(await sendDue(t)).toBe(1)
    expect(await read(t, hook, path)).toMatchObject({ attempts: 11, success: true, nextAttemptAt: null })
  })

  it('sends one delivery for simultaneous requests', async () => {
    const { hook, path } = await attemptedOnce(t, 200)
    const answers = await Promise.all(Array.from({ length: 5 }, () => askAgain(t, hook, path)))
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200])
    expect(await sendDue(t)).toBe(1)
    expect(await sendDue(t)).toBe(0)
  })

  it('returns 409 during an attempt, and is sent once if its sender dies', async () => {
    const hook = await t.webhook()
    await t.receive(fileEvent(hook.account))
    const deliveries = await claim(t, 1)
    const path = `${hook.path}/deliveries/${deliveries[0]?.id}`
    expect(await askAgain(t, hook, path)).toMatchObject(conflict)
    for (const claimed of deliveries) await deliver(t, claimed)
    await askAgain(t, hook, path)
    await claim(t, 1, 0)
    expect(await sendDue(t)).toBe(1)
    expect(await sendDue(t)).toBe(0)
    expect(await read(t, hook, path)).toMatchObject({ attempts: 3, success: true, nextAttemptAt: null })
  })

  it('is unchanged when it was claimed too late to be sent', async () => {
    const { hook, path } = await attemptedOnce(t, 500)
    await askAgain(t, hook, path)
    const before = await read(t, hook, path)
    const [claimed] = await claim(t, 1)
    if (!claimed) throw new Error('nothing was claimed')
    await withdrawClaim(t.db, claimed)
    await makeReady(t.db, hook.id)
    expect(await read(t, hook, path)).toEqual(before)
    expect(await sendDue(t)).toBe(1)
    await withdrawClaim(t.db, claimed)
    expect(await read(t, hook, path)).toMatchObject({ attempts: 2, attemptLog: [{ attempt: 1 }, { attempt: 2 }] })
    expect(t.receiver.requests).toHaveLength(2)
  })

  it('sends a test again as a test: marked, sent once, and not counted', async () => {
    const hook = await t.webhook()
    t.receiver.respondWith({ status: 500 })
    const { body: sample } = await t.call(hook.account, 'POST', `${hook.path}/test`)
    const path = `${hook.path}/deliveries/${sample.id}`
    expect((await askAgain(t, hook, path)).status).toBe(200)
    expect(await sendDue(t)).toBe(1)
    expect(t.receiver.requests.map(({ headers }) => headers['x-service-test'])).toEqual(['true', 'true'])
    expect(await read(t, hook, path)).toMatchObject({ attempts: 2, success: false, nextAttemptAt: null })
    expect((await read(t, hook, hook.path)).consecutiveFailures).toBe(0)
  })

  it('returns 409 for a disabled webhook', async () => {
    const { hook, path } = await attemptedOnce(t, 200)
    await t.call(hook.account, 'PATCH', hook.path, { active: false })
    expect(await askAgain(t, hook, path)).toMatchObject(conflict)
    expect(await sendDue(t)).toBe(0)
  })

  it('spreads many redeliveries to ten per second, after new events', async () => {
    const hook = await t.webhook()
    for (let index = 0; index < 12; index++) await t.receive(fileEvent(hook.account))
    // A delivery that a busy machine could not send in time is released and claimed again later.
    await waitFor(async () => {
      await sendDue(t)
      return (await t.database.sql('select 1 from delivery where attempts = 0')).length === 0
    })
    const rows = await t.database.sql('select id from delivery order by id')
    const answers = await Promise.all(rows.map(({ id }) => askAgain(t, hook, `${hook.path}/deliveries/${id}`)))
    const times = answers.map(({ body }) => Date.parse(body.nextAttemptAt)).toSorted((a, b) => a - b)
    const gaps = times.slice(1).map((time, index) => time - (times[index] ?? 0))
    expect(Math.min(...gaps)).toBeGreaterThanOrEqual(100)
    await t.database.sql('update delivery set next_attempt_at = now()')
    const fresh = fileEvent(hook.account)
    await t.receive(fresh)
    const deliveries = await claim(t, 1)
    expect(deliveries.map(({ eventId }) => eventId)).toEqual([fresh.eventId])
  })
})
