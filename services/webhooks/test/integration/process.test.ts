import { auditRecord } from '@tideport/contracts/internal/audit-record'
import { isFullRun } from '@tideport/testing/full-run'
import { startReceiver } from '@tideport/testing/receiver'
import { setUpOnce } from '@tideport/testing/set-up-once'
import { waitFor } from '@tideport/testing/wait-for'
import { describe, expect, it } from 'vitest'
import { setupProcesses } from './processes.ts'
import { fileEvent, newAccount } from './setup.ts'

const t = setUpOnce(setupProcesses)

async function createWebhook(base: string) {
  const account = newAccount()
  const body = { url: t.receiver.url, events: ['file.hot', 'file.synced'] }
  const { id } = await t.call(base, account, 'POST', '/api/webhooks', body)
  return { account, path: `/api/webhooks/${id}` }
}

function receivedIds(): string[] {
  return t.receiver.requests.map(({ headers }) => headers['webhook-id'] as string)
}

/** Makes claims of a killed process expire after `seconds`, instead of 15 s after the longest attempt. */
async function endLeases(seconds: number): Promise<void> {
  const claims = await t.database.sql<{ seconds: number }>(
    'select extract(epoch from claimed_until - claimed_at)::int as seconds from delivery where claimed_until > now()',
  )
  expect(claims.every((claim) => claim.seconds === 10 + 15)).toBe(true)
  const end = `now() + interval '${seconds} s'`
  await t.database.sql(`update delivery set claimed_until = ${end} where not success`)
  await t.database.sql(`update webhook set next_due_at = ${end}, held_until = null`)
}

const allowed = ['networks in WEBHOOK_ALLOW_CIDRS', { WEBHOOK_ALLOW_CIDRS: '10.0.0.0/8, 127.0.0.1/32' }, 200] as const

/** Waits until `count` deliveries have succeeded. */
async function allDelivered(count: number): Promise<void> {
  await waitFor(async () => (await t.database.sql('select from delivery where success')).length === count, {
    what: `${count} successful deliveries`,
  })
}

describe('the process', () => {
  it('delivers each event from the broker once, even if published again under another message ID, and ignores proxies from the environment', async () => {
    await using proxy = await startReceiver()
    const named = { HTTP_PROXY: proxy.url, HTTPS_PROXY: proxy.url, ALL_PROXY: proxy.url, http_proxy: proxy.url }
    const { url } = await t.start({ ...named, NODE_USE_ENV_PROXY: '1' })
    const { account } = await createWebhook(url)
    const events = [fileEvent(account, 'file.hot'), fileEvent(account, 'file.synced'), fileEvent(account, 'file.cold')]
    for (const event of events) await t.publish(event)
    await allDelivered(2)
    await t.nats.wipe()
    const last = fileEvent(account)
    await waitFor(async () => {
      for (const event of [...events, last]) await t.publish(event)
      return true
    })
    await allDelivered(3)
    expect(receivedIds().toSorted()).toEqual([events[0], events[1], last].map((event) => event?.eventId).toSorted())
    expect(proxy.requests).toEqual([])
  })

  it.each(isFullRun ? ['audit.claimed', 'audit.between'] : ['audit.between'])(
    'after a kill at %s, the webhook exists, and auth gets its entry under the same ID',
    async (name) => {
      const told: string[] = []
      ;(await t.nats.connect()).subscribe(auditRecord.subject, {
        callback(_error, message) {
          told.push(auditRecord.schema.parse(message.json()).id)
          message.respond('kept')
        },
      })
      await t.failpoints.kill(name)
      const first = await t.start()
      const { account, path } = await createWebhook(first.url)
      expect(await first.ended).toEqual({ code: null, signal: 'SIGKILL' })
      const waiting = async () => await t.database.sql<{ id: string }>('select id from audit_outbox')
      const [entry] = await waiting()
      await t.database.sql('update audit_outbox set claimed_until = now()')
      const second = await t.start()
      await waitFor(async () => (await waiting()).length === 0, { what: 'the entry to be stored' })
      expect(told).toEqual(Array.from({ length: name === 'audit.between' ? 2 : 1 }, () => entry?.id))
      expect(await t.call(second.url, account, 'GET', path)).toMatchObject({ active: true })
    },
  )

  it.each(isFullRun ? ['deliver.before-send', 'deliver.after-send'] : ['deliver.after-send'])(
    'after a kill at %s, the delivery is sent again under the same ID when the claim expires, and the log shows this',
    async (name) => {
      const first = await t.start()
      const { account, path } = await createWebhook(first.url)
      await t.failpoints.kill(name)
      const event = fileEvent(account)
      await t.publish(event)
      expect(await first.ended).toEqual({ code: null, signal: 'SIGKILL' })
      await endLeases(0)
      const second = await t.start()
      await allDelivered(1)
      const sends = name === 'deliver.after-send' ? 2 : 1
      expect(receivedIds()).toEqual(Array.from({ length: sends }, () => event.eventId))
      const { deliveries } = await t.call(second.url, account, 'GET', `${path}/deliveries`)
      const { attemptLog } = await t.call(second.url, account, 'GET', `${path}/deliveries/${deliveries[0].id}`)
      expect(attemptLog).toMatchObject([
        { attempt: 1, statusCode: 0, success: false, error: 'The sender stopped before it recorded the outcome' },
        { attempt: 2, statusCode: 200, success: true },
      ])
    },
  )

  it('does not repeat a delivery that arrived during a database outage', async () => {
    const { url } = await t.start()
    const { account } = await createWebhook(url)
    t.receiver.respondWith(() => {
      t.databaseProxy.setWeather({ kind: 'reset' })
      t.databaseProxy.cut()
      setTimeout(() => t.databaseProxy.setWeather({ kind: 'pass' }), 1000)
      return { status: 200 }
    })
    await t.publish(fileEvent(account))
    await allDelivered(1)
    expect(await t.database.sql('select attempts from delivery')).toEqual([{ attempts: 1 }])
    expect(t.receiver.requests).toHaveLength(1)
  })

  it('delivers everything when one of two replicas is killed under load', async () => {
    const [killed, kept] = await Promise.all([t.start(), t.start()])
    const { account } = await createWebhook(kept.url)
    const events = Array.from({ length: 200 }, () => fileEvent(account))
    for (const event of events) await t.publish(event)
    await t.receiver.waitFor(() => t.receiver.requests.length > 20)
    await killed.kill()
    // No event wakes the other replica.
    await endLeases(1)
    await allDelivered(200)
    expect(new Set(receivedIds())).toEqual(new Set(events.map(({ eventId }) => eventId)))
  })

  it('on SIGTERM, finishes and records attempts in progress, and exits with 0', async () => {
    const { url, stop } = await t.start({ CONNECTION_DRAIN_SECONDS: '0' })
    const { account } = await createWebhook(url)
    const release = Promise.withResolvers<void>()
    t.receiver.respondWith(async () => {
      await release.promise
      return { status: 200 }
    })
    await t.publish(fileEvent(account))
    await t.receiver.waitFor(() => true)
    const stopped = stop()
    await waitFor(async () => !(await fetch(url).catch(() => null)))
    release.resolve()
    expect(await stopped).toEqual({ code: 0, signal: null })
    expect(await t.database.sql('select success, attempts from delivery')).toEqual([{ success: true, attempts: 1 }])
  })

  it('on SIGTERM, releases unfinished attempts, so that another replica sends them immediately', async () => {
    const settings = { WEBHOOK_TIMEOUT_SECONDS: '60', SHUTDOWN_SECONDS: '6', CONNECTION_DRAIN_SECONDS: '0' }
    const { url, stop } = await t.start(settings)
    const { account } = await createWebhook(url)
    t.receiver.respondWith('hang')
    await t.publish(fileEvent(account))
    await t.receiver.waitFor(() => true)
    expect(await stop()).toEqual({ code: 0, signal: null })
    t.receiver.respondWith({ status: 200 })
    await t.start(settings)
    await allDelivered(1)
    expect(new Set(receivedIds()).size).toBe(1)
  })

  it.each([['no private networks', {}, 0], ...(isFullRun ? [allowed] : [])] as const)(
    'outside development sends to %s',
    async (_, settings, statusCode) => {
      const { url } = await t.start({ SERVICE_ENV: 'production', ...settings })
      const account = newAccount()
      const body = { url: 'https://example.com/', events: ['file.hot'] }
      const { id } = await t.call(url, account, 'POST', '/api/webhooks', body)
      await t.database.sql('update webhook set url = $1', [t.receiver.url])
      const sent = await t.call(url, account, 'POST', `/api/webhooks/${id}/test`)
      expect(sent).toMatchObject({ statusCode, attempts: 1 })
      expect(t.receiver.requests).toHaveLength(statusCode === 200 ? 1 : 0)
    },
  )
})
