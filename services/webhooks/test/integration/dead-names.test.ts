import { startDnsServer } from '@tideport/testing/dns-server'
import { waitFor } from '@tideport/testing/wait-for'
import { describe, expect, it } from 'vitest'
import { deliver } from '../../src/delivery/deliver.ts'
import { claim, fileEvent, type Hook, newAccount, type Setup, sendMany, setup } from './setup.ts'

const successes = async (t: Setup, hook: Hook) =>
  (await t.database.sql('select from delivery where webhook_id = $1 and success', [hook.id])).length

/** `http://NAME:PORT/` of the receiver. */
const at = (t: Setup, name: string) => `http://${name}:${t.receiver.port}/`

describe('names that are never resolved', () => {
  it('do not block other webhooks, even a hundred of them with few places', async () => {
    await using dns = await startDnsServer(({ name, type }) =>
      type === 'NS' ? [] : name === 'healthy.test' ? ['127.0.0.1'] : 'silent',
    )
    await using t = await setup({ replicas: 1, concurrency: 4, dnsServers: [dns.address], retryScale: 1 })
    const dead: Hook[] = []
    for (let index = 0; index < 5; index++) {
      const account = newAccount()
      for (let n = 0; n < 20; n++) dead.push(await t.webhook({ account, url: at(t, `dead-${index}-${n}.test`) }))
    }
    const accounts = new Set(dead.map(({ account }) => account))
    for (const account of accounts) for (let n = 0; n < 3; n++) await t.receive(fileEvent(account))
    const tried = async () => (await t.database.sql('select from attempt')).length
    await waitFor(async () => (await tried()) > 20, { what: 'many blocked deliveries' })
    const healthy = await t.webhook({ url: at(t, 'healthy.test') })
    await sendMany(t, healthy, 20)
    await waitFor(async () => (await successes(t, healthy)) === 20)
    // No lookup was rejected, because lookups are limited per account.
    expect(t.lookUps).not.toContain('busy')
  })

  it('count as failures of the receiver: attempts with a reason, and then an open circuit', async () => {
    await using dns = await startDnsServer(({ type }) => (type === 'NS' ? [] : 'silent'))
    await using t = await setup({ replicas: 1, dnsServers: [dns.address] })
    const hook = await t.webhook({ url: at(t, 'dead.test') })
    await t.receive(fileEvent(hook.account))
    await waitFor(
      async () => (await t.database.sql('select from webhook where consecutive_timeouts >= 5')).length === 1,
    )
    const { body } = await t.call(hook.account, 'GET', `${hook.path}/deliveries`)
    expect(body.deliveries[0]).toMatchObject({ statusCode: 0, error: 'The host name could not be resolved in time' })
  })
})

describe('while no name can be resolved', () => {
  it('nothing counts as a failure of the receiver, and everything arrives afterward', async () => {
    await using dns = await startDnsServer(() => 'refused')
    await using t = await setup({ replicas: 1, dnsServers: [dns.address] })
    const hook = await t.webhook({ url: at(t, 'healthy.test') })
    await sendMany(t, hook, 10)
    await waitFor(async () => (await t.database.sql('select from webhook where paused_until > now()')).length === 1)
    // Polled, because an attempt in progress has a row for a moment.
    const counted = 'select from delivery where attempts > 0 union all select from attempt'
    await waitFor(async () => (await t.database.sql(counted)).length === 0, { what: 'no counted attempts' })
    const health = 'select consecutive_failures, recent_attempts, slots, circuit_open_until from webhook'
    expect(await t.database.sql(health)).toEqual([
      { consecutive_failures: 0, recent_attempts: 0, slots: 4, circuit_open_until: null },
    ])
    const tested = await t.call(hook.account, 'POST', `${hook.path}/test`)
    expect(tested.body).toMatchObject({
      statusCode: 0,
      error: 'Nothing was sent: host names cannot be resolved at the moment',
    })
    dns.respondWith(({ type }) => (type === 'NS' ? [] : ['127.0.0.1']))
    await waitFor(async () => (await successes(t, hook)) === 10)
    expect(await t.database.sql('select from attempt')).toHaveLength(11)
  })

  it('a paused webhook is claimed again only after its pause', async () => {
    await using dns = await startDnsServer(() => 'refused')
    await using t = await setup({ dnsServers: [dns.address] })
    const hook = await t.webhook({ url: at(t, 'healthy.test') })
    await sendMany(t, hook, 2)
    for (const delivery of await claim(t, 1)) await deliver(t, delivery)
    expect(await claim(t, 1)).toEqual([])
    await t.database.sql('update webhook set paused_until = now(), held_until = now()')
    expect(await claim(t, 1)).toMatchObject([{ attempts: 1 }])
  })
})
