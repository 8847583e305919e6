import { setUpOnce } from '@tideport/testing/set-up-once'
import { waitFor } from '@tideport/testing/wait-for'
import { sql } from 'kysely'
import { describe, expect, it } from 'vitest'
import { type ClaimedDelivery, claimDeliveries } from '../../src/delivery/claim-deliveries.ts'
import { deliver } from '../../src/delivery/deliver.ts'
import { type EndedAttempt, makeReady } from '../../src/delivery/ready-webhooks.ts'
import { recordOutcome } from '../../src/delivery/record-outcome.ts'
import type { Answer } from '../../src/outgoing/outgoing.ts'
import { fileEvent, type Hook, newAccount, type Setup, sendMany, setup } from './setup.ts'

const t = setUpOnce(() => setup({ retryScale: 1 }))

const nothing = { statusCode: 0, durationMs: 20, retryAfter: null, responseBody: null }
const success: Answer = { ...nothing, statusCode: 200, error: null, failure: null }
const slowSuccess: Answer = { ...success, durationMs: 3000 }
const failure: Answer = { ...nothing, statusCode: 500, error: 'HTTP status 500', failure: 'other' }
const timeout: Answer = { ...nothing, error: 'No complete response within 15 s', failure: 'timed_out' }

const claim = async (t: Setup, ended: EndedAttempt[] = []) =>
  (await claimDeliveries(t.db, { limit: 200, claimSeconds: 600, ended })).deliveries

/**
 * Claims and finishes attempts with these responses, one at a time and in order. Returns the health after the last one.
 */
async function attempt(t: Setup, hook: Hook, answers: Answer[]) {
  let ended: Health | undefined
  for (const answer of answers) {
    await sendMany(t, hook, 1)
    const claimOne = async () => (await claimDeliveries(t.db, { limit: 1, claimSeconds: 600 })).deliveries[0]
    const claimed = await waitFor(claimOne, { what: 'a delivery to claim' })
    ended = await endAttempt(t, claimed, answer)
    await makeReady(t.db, hook.id)
  }
  return ended
}

/** Uses one transaction, in which `now()` is the same for the outcome and the health query. */
const endAttempt = (t: Setup, claimed: ClaimedDelivery, answer: Answer) =>
  t.db.transaction().execute(async (db) => {
    await recordOutcome(db, claimed, answer, t.retryScale)
    return await healthIn(db)
  })

const times = (count: number, answer: Answer) => Array.from({ length: count }, () => answer)

type Health = { slots: number; isOpen: boolean; failedProbes: number; probeInSeconds: number | null }

async function healthIn(db: Setup['db']): Promise<Health | undefined> {
  const { rows } = await sql<Health>`
    select slots, circuit_open_until is not null as is_open, failed_probes,
      round(extract(epoch from circuit_open_until - now()))::integer as probe_in_seconds from webhook`.execute(db)
  return rows[0]
}

const health = (t: Setup) => healthIn(t.db)

/** Simulates that the time until the next probe has passed. */
const passProbeTime = (t: Setup) =>
  t.database.sql(
    'update webhook set circuit_open_until = now(), held_until = now() where circuit_open_until is not null',
  )

/** Makes all planned deliveries due. */
const makeDue = async (t: Setup) => {
  await t.database.sql('update delivery set next_attempt_at = now() where next_attempt_at > now()')
  await t.database.sql('update webhook set next_due_at = now()')
}

describe('slots', () => {
  it('grow by one after every ten quick successes, up to 32', async () => {
    const hook = await t.webhook()
    await attempt(t, hook, times(9, success))
    expect(await health(t)).toMatchObject({ slots: 4 })
    await attempt(t, hook, times(1, success))
    expect(await health(t)).toMatchObject({ slots: 5 })
    await attempt(t, hook, times(20, slowSuccess))
    expect(await health(t)).toMatchObject({ slots: 5 })
    await t.database.sql('update webhook set slots = 32')
    await attempt(t, hook, times(10, success))
    expect(await health(t)).toMatchObject({ slots: 32 })
    await sendMany(t, hook, 40)
    expect(await claim(t)).toHaveLength(32)
  })

  it('are halved by a timeout, to at least one, and unchanged by other failures', async () => {
    const hook = await t.webhook()
    await t.database.sql('update webhook set slots = 17')
    await attempt(t, hook, [failure, failure])
    expect(await health(t)).toMatchObject({ slots: 17 })
    await attempt(t, hook, [timeout, success, timeout])
    expect(await health(t)).toMatchObject({ slots: 4 })
    await attempt(t, hook, [success, timeout, success, timeout, success, timeout])
    expect(await health(t)).toMatchObject({ slots: 1 })
  })
})

describe('an account', () => {
  it('has at most 64 deliveries in progress over all its webhooks and claims, without affecting other accounts', async () => {
    const account = newAccount()
    const hooks = await Promise.all([1, 2, 3].map(() => t.webhook({ account })))
    await t.database.sql('update webhook set slots = 32')
    for (let index = 0; index < 40; index++) await t.receive(fileEvent(account))
    const claims: Awaited<ReturnType<typeof claim>>[] = []
    await waitFor(async () => {
      claims.push(...(await Promise.all([claim(t), claim(t), claim(t), claim(t)])))
      return claims.flat().length >= 64
    })
    expect(claims.flat()).toHaveLength(64)
    expect(new Set(claims.flat().map(({ webhookId }) => webhookId)).size).toBe(hooks.length)
    const other = await t.webhook()
    await sendMany(t, other, 1)
    expect((await claim(t)).map(({ webhookId }) => webhookId)).toEqual([other.id])
    const ended = claims.flat().slice(0, 5)
    for (const claimed of ended) await recordOutcome(t.db, claimed, success, 0)
    expect(await claim(t, ended)).toHaveLength(5)
  })
})

describe('the circuit', () => {
  it('opens after five timeouts in a row, but not with a success in between', async () => {
    const hook = await t.webhook()
    await attempt(t, hook, [...times(4, timeout), success, ...times(4, timeout)])
    expect(await health(t)).toMatchObject({ isOpen: false })
    expect(await attempt(t, hook, times(1, timeout))).toMatchObject({ isOpen: true, probeInSeconds: 30 })
  })

  it('opens when 70 % of at least ten recent attempts failed', async () => {
    const hook = await t.webhook()
    await attempt(t, hook, times(9, failure))
    expect(await health(t)).toMatchObject({ isOpen: false })
    await attempt(t, hook, times(1, failure))
    expect(await health(t)).toMatchObject({ isOpen: true })
  })

  it('stays closed with fewer or old failures', async () => {
    const hook = await t.webhook()
    await attempt(t, hook, [failure, ...times(5, success), ...times(8, failure)])
    expect(await health(t)).toMatchObject({ isOpen: false })
    await t.database.sql(`update webhook set recent_since = recent_since - interval '5 minutes'`)
    await attempt(t, hook, times(9, failure))
    expect(await health(t)).toMatchObject({ isOpen: false })
  })

  it('blocks deliveries while open and then allows one probe, without using up attempts of pending deliveries', async () => {
    await using t = await setup({ retryScale: 100 })
    const hook = await t.webhook()
    await attempt(t, hook, times(5, timeout))
    await sendMany(t, hook, 10)
    expect(await claim(t)).toEqual([])
    await passProbeTime(t)
    expect(await claim(t)).toHaveLength(1)
    expect(await claim(t)).toEqual([])
    expect(await t.database.sql('select from delivery where attempts = 0')).toHaveLength(9)
  })

  it('is probed after 30 s, then after twice as long each time, up to 10 min, and closes after a success', async () => {
    const hook = await t.webhook()
    let ended = await attempt(t, hook, times(5, timeout))
    const waits: unknown[] = []
    for (let probe = 0; probe < 7; probe++) {
      waits.push(ended?.probeInSeconds)
      await passProbeTime(t)
      ended = await attempt(t, hook, [probe % 2 === 0 ? timeout : failure])
    }
    expect(waits).toEqual([30, 60, 120, 240, 480, 600, 600])
    await passProbeTime(t)
    await attempt(t, hook, [success])
    expect(await health(t)).toMatchObject({ isOpen: false, failedProbes: 0 })
    await makeDue(t)
    await waitFor(async () => (await claim(t)).length > 0, { what: 'a delivery to claim' })
  })

  it('is not extended by attempts that were in progress when it opened', async () => {
    const hook = await t.webhook()
    await attempt(t, hook, times(4, timeout))
    await t.database.sql('update webhook set slots = 4')
    await sendMany(t, hook, 4)
    const openUntil = async () => (await t.database.sql('select circuit_open_until from webhook'))[0]
    const [first, ...others] = await claim(t)
    if (first) expect(await endAttempt(t, first, timeout)).toMatchObject({ probeInSeconds: 30, failedProbes: 0 })
    const opened = await openUntil()
    for (const claimed of others) await endAttempt(t, claimed, timeout)
    expect([others.length, await openUntil()]).toEqual([3, opened])
  })

  it('is closed by a new URL and by active: true', async () => {
    const hook = await t.webhook()
    for (const change of [{ url: `${t.receiver.url}new` }, { active: true }]) {
      await attempt(t, hook, times(5, timeout))
      expect(await health(t)).toMatchObject({ isOpen: true })
      await t.call(hook.account, 'PATCH', hook.path, change)
      expect(await health(t)).toMatchObject({ isOpen: false })
    }
  })

  it('uses the scale of the retries', async () => {
    const hook = await t.webhook()
    expect(await attempt({ ...t, retryScale: 0.1 }, hook, times(5, timeout))).toMatchObject({ probeInSeconds: 3 })
  })
})

describe('automatic disabling', () => {
  /** A webhook that has failed `failures` times since `since`, and fails once more. */
  async function failAgain(t: Setup, failures: number, since: string) {
    const hook = await t.webhook()
    await attempt(t, hook, [failure])
    const soFar = 'update webhook set consecutive_failures = $1, failing_since = now() - $2::interval'
    await t.database.sql(soFar, [failures, since])
    t.receiver.respondWith({ status: 500 })
    await t.receive(fileEvent(hook.account))
    for (const claimed of await claim(t)) await deliver(t, claimed)
    return hook
  }

  it('happens after ten failures in a row over five days, with a readable reason', async () => {
    const { account, path } = await failAgain(t, 9, '5 days')
    expect((await t.call(account, 'GET', path)).body).toMatchObject({
      active: false,
      disabledReason: 'Every delivery failed for more than five days',
    })
    expect(await claim(t)).toEqual([])
    const on = await t.call(account, 'PATCH', path, { active: true })
    expect(on.body).toMatchObject({ active: true, disabledReason: null, consecutiveFailures: 0 })
  })

  it.each([
    ['in less than five days', 9, '4 days 23 hours'],
    ['fewer than ten times', 8, '30 days'],
  ])('does not happen after failures %s', async (_, failures, since) => {
    const { account, path } = await failAgain(t, failures, since)
    const { body } = await t.call(account, 'GET', path)
    expect(body).toMatchObject({ active: true, consecutiveFailures: failures + 1 })
  })
})

describe('Retry-After', () => {
  it.each([
    ['600', 600],
    ['1000000000000', 86_400],
    ['soon', 5],
  ])('%s: the next attempt is due in %i s', async (retryAfter, seconds) => {
    const hook = await t.webhook()
    t.receiver.respondWith({ status: 503, headers: { 'retry-after': retryAfter } })
    await t.receive(fileEvent(hook.account))
    const [claimed] = await claim(t)
    const wait = await t.db.transaction().execute(async (db) => {
      if (claimed) await deliver({ ...t, db }, claimed)
      const inSeconds = sql<{
        wait: number
      }>`select extract(epoch from next_attempt_at - now())::float8 as wait from delivery`
      return (await inSeconds.execute(db)).rows[0]?.wait
    })
    expect(wait).toBeGreaterThanOrEqual(seconds * 0.8)
    expect(wait).toBeLessThanOrEqual(seconds * 1.2)
  })
})
