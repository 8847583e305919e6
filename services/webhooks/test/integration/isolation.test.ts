import { setUpOnce } from '@tideport/testing/set-up-once'
import { waitFor } from '@tideport/testing/wait-for'
import { describe, expect, it } from 'vitest'
import { deliver } from '../../src/delivery/deliver.ts'
import { clearVoided } from '../../src/subscriptions/clear-voided.ts'
import { claim, type Hook, newAccount, type Setup, sendMany, setup } from './setup.ts'

const t = setUpOnce(setup)
const replicated = setUpOnce(() => setup({ replicas: 3 }))

/**
 * Delays responses until `release`, except the first few (ten would add a slot). Counts the most concurrent requests.
 */
function gate(atOnce = 0) {
  let left = atOnce
  let open = 0
  let most = 0
  let released = false
  const waiting: (() => void)[] = []
  return {
    most: () => most,
    open: () => open,
    release() {
      released = true
      for (const go of waiting) go()
    },
    async respond() {
      open += 1
      most = Math.max(most, open)
      left -= 1
      if (!released && left < 0) await new Promise<void>((resolve) => waiting.push(resolve))
      open -= 1
      return { status: 200 }
    },
  }
}

async function countDone(t: Setup, hook: Hook): Promise<number> {
  const sql = 'select from delivery where webhook_id = $1 and success'
  return (await t.database.sql(sql, [hook.id])).length
}

describe('several replicas', () => {
  it('deliver each event once to all webhooks', async () => {
    const t = replicated
    const account = newAccount()
    const hooks = [await t.webhook({ account }), await t.webhook({ account }), await t.webhook({ account })]
    const [hook] = hooks as [Hook]
    const eventIds = await sendMany(t, hook, 100)
    await waitFor(() => t.receiver.requests.length >= 300)
    await waitFor(async () => (await t.database.sql('select from delivery where not success')).length === 0)
    const received = t.receiver.requests.map(({ headers }) => headers['webhook-id'] as string)
    expect(received.toSorted()).toEqual([...eventIds, ...eventIds, ...eventIds].toSorted())
  })

  it('together send at most four deliveries of a webhook simultaneously', async () => {
    const t = replicated
    const hook = await t.webhook()
    const slow = gate()
    t.receiver.respondWith(slow.respond)
    await sendMany(t, hook, 20)
    await waitFor(() => slow.open() === 4)
    const claims = await Promise.all(Array.from({ length: 10 }, () => claim(t, 10)))
    expect(claims.flat()).toEqual([])
    slow.release()
    await waitFor(async () => (await countDone(t, hook)) === 20)
    expect(slow.most()).toBe(4)
  })
})

describe('claimDeliveries', () => {
  it('claims new events before retries', async () => {
    const hook = await t.webhook()
    await sendMany(t, hook, 2)
    t.receiver.respondWith({ status: 500 })
    for (const claimed of await claim(t, 10)) await deliver(t, claimed)
    const fresh = await sendMany(t, hook, 3)
    const claims = await claim(t, 10)
    expect(claims.filter(({ attempts }) => attempts === 1).map(({ eventId }) => eventId).toSorted()).toEqual(fresh.toSorted()) // biome-ignore format: one claim
    expect(claims).toHaveLength(4)
  })

  it('claims a delivery again when its claim has expired, and shows that the attempt was lost', async () => {
    const hook = await t.webhook()
    const [eventId] = await sendMany(t, hook, 1)
    expect(await claim(t, 1, 0)).toHaveLength(1)
    const [claimed] = await claim(t, 1)
    expect(claimed).toMatchObject({ eventId, attempts: 2 })
    if (claimed) await deliver(t, claimed)
    const { body } = await t.call(hook.account, 'GET', `${hook.path}/deliveries/${claimed?.id}`)
    expect(body).toMatchObject({ success: true, attempts: 2 })
    expect(body.attemptLog).toMatchObject([
      { attempt: 1, success: false, statusCode: 0, error: 'The sender stopped before it recorded the outcome' },
      { attempt: 2, success: true, statusCode: 200 },
    ])
  })

  it('does not let a sender with an expired claim overwrite the outcome of the next one', async () => {
    const hook = await t.webhook()
    await sendMany(t, hook, 1)
    const [late] = await claim(t, 1, 0)
    const [next] = await claim(t, 1)
    if (!late || !next) throw new Error('Nothing was claimed')
    await deliver(t, next)
    t.receiver.respondWith({ status: 500 })
    await deliver(t, late)
    const { body } = await t.call(hook.account, 'GET', `${hook.path}/deliveries/${next.id}`)
    expect(body).toMatchObject({ success: true, statusCode: 200, nextAttemptAt: null })
    expect(body.attemptLog.map((attempt: { statusCode: number }) => attempt.statusCode)).toEqual([500, 200])
  })
})

describe('an unresponsive receiver', () => {
  it('does not block other webhooks', async () => {
    await using t = await setup({ replicas: 1 })
    const hanging = await t.webhook({ url: `${t.receiver.url}hangs` })
    const healthy = await t.webhook({ url: `${t.receiver.url}works` })
    t.receiver.respondWith(({ path }) => (path === '/hangs' ? 'hang' : { status: 200 }))
    await sendMany(t, hanging, 100)
    await sendMany(t, healthy, 50)
    await waitFor(async () => (await countDone(t, healthy)) === 50)
    expect(t.receiver.requests.filter(({ path }) => path === '/hangs')).toHaveLength(4)
  })
})

/** Waits until no webhook can be claimed for, possibly before the response to the request that causes this. */
const untilSilenced = (t: Setup) =>
  waitFor(async () => (await t.database.sql('select from webhook where active and deleted_at is null')).length === 0)

describe('disabling and deleting', () => {
  it('DELETE: nothing is sent after the response, with hundreds pending and more arriving', async () => {
    const t = replicated
    const hook = await t.webhook()
    const slow = gate(5)
    t.receiver.respondWith(slow.respond)
    await sendMany(t, hook, 200)
    await waitFor(() => slow.open() === 4)
    const coming = sendMany(t, hook, 50)
    const deleting = t.call(hook.account, 'DELETE', hook.path)
    await untilSilenced(t)
    slow.release()
    expect((await deleting).status).toBe(200)
    const atAnswer = t.receiver.requests.length
    expect(atAnswer).toBe(9)
    await coming
    const other = await t.webhook({ url: `${t.receiver.url}after` })
    await sendMany(t, other, 20)
    await waitFor(async () => (await countDone(t, other)) === 20)
    expect(t.receiver.requests.filter(({ path }) => path === '/')).toHaveLength(atAnswer)
    await clearVoided(t.db)
    expect(await t.database.sql('select from delivery where webhook_id = $1', [hook.id])).toEqual([])
  })

  it('active: false: nothing is sent after the response, and pending deliveries are skipped permanently', async () => {
    const t = replicated
    const hook = await t.webhook()
    const slow = gate(5)
    t.receiver.respondWith(slow.respond)
    await sendMany(t, hook, 200)
    await waitFor(() => slow.open() === 4)
    const pausing = t.call(hook.account, 'PATCH', hook.path, { active: false })
    await untilSilenced(t)
    slow.release()
    expect((await pausing).status).toBe(200)
    const atAnswer = t.receiver.requests.length
    expect(atAnswer).toBe(9)
    await t.call(hook.account, 'PATCH', hook.path, { active: true })
    const [last] = await sendMany(t, hook, 1)
    await t.receiver.waitFor(({ headers }) => headers['webhook-id'] === last)
    expect(t.receiver.requests).toHaveLength(atAnswer + 1)
    await clearVoided(t.db)
    const skipped = await t.database.sql(`select from delivery where error like 'Skipped%' and done_at is not null`)
    expect(skipped).toHaveLength(200 - atAnswer)
  })

  it.each([
    ['DELETE', undefined],
    ['PATCH', { active: false }],
  ] as const)(
    '%s waits for deliveries that another replica has claimed and may be about to send',
    async (method, body) => {
      const hook = await t.webhook()
      await sendMany(t, hook, 1)
      const [claimed] = await claim(t, 1)
      let isAnswered = false
      const answer = t.call(hook.account, method, hook.path, body).finally(() => {
        isAnswered = true
      })
      await untilSilenced(t)
      t.receiver.respondWith(() => ({ status: isAnswered ? 500 : 200 }))
      if (claimed) await deliver(t, claimed)
      expect((await answer).status).toBe(200)
      expect(t.receiver.requests).toHaveLength(1)
      expect(t.lines.join('')).toContain('"outcome":"succeeded"')
    },
  )

  it('active: false responds although the receiver is unresponsive, and the attempt in progress is the last one', async () => {
    const t = replicated
    const hook = await t.webhook()
    const slow = gate()
    t.receiver.respondWith(async () => ({ ...(await slow.respond()), status: 500 }))
    await sendMany(t, hook, 1)
    await waitFor(() => slow.open() === 1)
    // So long ago that `untilQuiet` does not wait for it.
    await t.database.sql(`update delivery set claimed_at = now() - interval '1 minute'`)
    await t.call(hook.account, 'PATCH', hook.path, { active: false })
    slow.release()
    await waitFor(async () => (await t.database.sql('select from delivery where done_at is not null')).length === 1)
    expect(await t.database.sql('select next_attempt_at, attempts from delivery')).toEqual([
      { next_attempt_at: null, attempts: 1 },
    ])
  })
})
