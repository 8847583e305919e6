import { type AuditRecord, type AuditReply, auditRecord } from '@tideport/contracts/internal/audit-record'
import { connectNats } from '@tideport/service-kit/nats/nats'
import { startNats } from '@tideport/testing/nats'
import { waitFor } from '@tideport/testing/wait-for'
import { expect, it } from 'vitest'
import { relayAuditEntries, startAuditRelay } from '../../src/audit/relay-audit-entries.ts'
import { newAccount, setup } from './setup.ts'

const never = new AbortController().signal

/** The service with a broker, and somebody there who answers as auth does. */
async function setupAuditEntries() {
  const stack = new AsyncDisposableStack()
  const server = stack.use(await startNats())
  const t = stack.use(await setup())
  const nats = stack.use(connectNats({ natsUrl: [server.url], name: 'test', log: t.log }))
  await nats.connected(never)
  const told: AuditRecord[] = []
  return Object.assign(t, {
    server,
    nats,
    told,
    /** From now on, until the broker is stopped. */
    async answerAs(replyTo: (record: AuditRecord) => AuditReply | null) {
      const client = await server.connect()
      client.subscribe(auditRecord.subject, {
        callback(_error, message) {
          const record = auditRecord.schema.parse(message.json())
          told.push(record)
          const reply = replyTo(record)
          if (reply !== null) message.respond(reply)
        },
      })
      await client.flush()
    },
    waiting: async () => (await t.database.sql('select id from audit_outbox where failed_at is null')).length,
    relay: () => relayAuditEntries({ db: t.db, nats, log: t.log }, never),
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  })
}

it('each change of a webhook is told once, with who did it and no more of its URL than the host', async () => {
  await using t = await setupAuditEntries()
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

it('a change that is not made leaves nothing to tell', async () => {
  await using t = await setupAuditEntries()
  const { path } = await t.webhook()
  const stranger = newAccount()
  await t.call(stranger, 'PATCH', path, { active: false })
  await t.call(stranger, 'DELETE', path)
  await t.call(stranger, 'POST', `${path}/rotate-secret`)
  expect(await t.waiting()).toBe(1)
})

it('while the broker is away, or auth is, entries wait, and are told once they are back', async () => {
  await using t = await setupAuditEntries()
  await t.server.kill()
  await waitFor(() => t.nats.connection() === null)
  await t.webhook()
  await t.relay()
  expect(await t.waiting()).toBe(1)
  await t.server.start()
  await t.nats.connected(never)
  // Nobody is there to answer.
  await t.relay()
  expect(await t.waiting()).toBe(1)
  const stop = new AbortController()
  await using _relaying = startAuditRelay({ db: t.db, nats: t.nats, log: t.log, signal: stop.signal })
  await t.answerAs(() => 'kept')
  await waitFor(async () => (await t.waiting()) === 0, { what: 'the entry to be kept', timeoutMs: 60_000 })
})

it('an entry that was not kept is told again under the same id; one that cannot be read holds up no other', async () => {
  await using t = await setupAuditEntries()
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
  expect(t.lines.join('')).toContain('auth cannot read an entry of the log')
})
