import type { AuditReply } from '@tideport/contracts/internal/audit-record'
import { setUpOnce } from '@tideport/testing/set-up-once'
import { waitFor } from '@tideport/testing/wait-for'
import { expect, it } from 'vitest'
import { startAuditRelay } from '../../src/audit/relay-audit-entries.ts'
import { disableWebhook } from '../../src/subscriptions/disable-webhook.ts'
import { setupAuditEntries } from './audit-entries.ts'
import { newAccount } from './setup.ts'

const t = setUpOnce(setupAuditEntries)

const never = new AbortController().signal

it('sends each change of a webhook once, with its actor and only the host of its URL', async () => {
  await t.answerAs(() => 'kept')
  const url = `${t.receiver.url}?token=hidden-in-the-url`
  const { account, id, path, secret } = await t.webhook({ url })
  await t.call(account, 'PATCH', path, { active: false })
  const rotated = await t.call(account, 'POST', `${path}/rotate-secret`)
  await t.call(account, 'DELETE', path)
  expect((await t.call(account, 'DELETE', path)).status).toBe(404)
  await t.relay()
  await t.relay()
  const byTime = t.told.toSorted((a, b) => (a.id < b.id ? -1 : 1))
  const kinds = ['webhook.created', 'webhook.changed', 'webhook.secret_rotated', 'webhook.deleted']
  expect(byTime.map(({ kind }) => kind)).toEqual(kinds)
  for (const record of byTime) {
    const { host } = new URL(url)
    expect(record).toMatchObject({
      accountId: account.accountId,
      subjectId: id,
      details: { host, events: ['file.hot'] },
    })
    expect(record.actor.method).toBe('api_key')
  }
  expect(byTime[1]?.details).toMatchObject({ changed: ['active'], active: false })
  for (const hidden of ['hidden-in-the-url', secret, rotated.body.secret]) {
    expect(JSON.stringify(t.told)).not.toContain(hidden)
  }
  expect(await t.waiting()).toBe(0)
})

it('sends one entry with a reason and without an actor when a webhook is disabled because of its receiver', async () => {
  await t.answerAs(() => 'kept')
  const { id, account } = await t.webhook()
  for (let time = 0; time < 2; time++) await disableWebhook(t.db, id, 'The receiver returned 410 Gone')
  await t.relay()
  const told = t.told.filter(({ kind }) => kind === 'webhook.disabled')
  expect(told).toMatchObject([
    {
      accountId: account.accountId,
      subjectId: id,
      actor: { method: 'system', keyId: null, keyPrefix: null, subject: null },
      clientAddress: null,
      requestId: null,
      details: { reason: 'The receiver returned 410 Gone', events: ['file.hot'], active: false },
    },
  ])
})

it('writes no entry for a change that fails', async () => {
  const { path } = await t.webhook()
  const stranger = newAccount()
  await t.call(stranger, 'PATCH', path, { active: false })
  await t.call(stranger, 'DELETE', path)
  await t.call(stranger, 'POST', `${path}/rotate-secret`)
  expect(await t.waiting()).toBe(1)
})

it('keeps entries while the broker or auth is unavailable, and sends them afterward', async () => {
  await t.server.kill()
  await waitFor(() => t.nats.connection() === null)
  await t.webhook()
  await t.relay()
  expect(await t.waiting()).toBe(1)
  await t.server.start()
  await t.nats.connected(never)
  // No auth process is running.
  await t.relay()
  expect(await t.waiting()).toBe(1)
  const stop = new AbortController()
  await using _relaying = startAuditRelay({ db: t.db, nats: t.nats, log: t.log, signal: stop.signal })
  await t.answerAs(() => 'kept')
  await waitFor(async () => (await t.waiting()) === 0, { what: 'the entry to be stored' })
})

it('resends an entry that was not stored under the same ID, and an unreadable entry does not block others', async () => {
  const account = newAccount()
  for (let index = 0; index < 3; index++) await t.webhook({ account })
  const replies: AuditReply[] = ['later', 'refused', 'kept', 'kept']
  await t.answerAs(() => replies.shift() ?? 'kept')
  await t.relay()
  expect(await t.waiting()).toBe(1)
  await t.relay()
  expect(await t.waiting()).toBe(0)
  expect(t.told).toHaveLength(4)
  expect(new Set(t.told.map(({ id }) => id)).size).toBe(3)
  const failed = await t.database.sql('select id from audit_outbox where failed_at is not null')
  expect(failed).toHaveLength(1)
  expect(t.lines.join('')).toContain('auth refused an audit log entry that it cannot read')
})
