import { type AuditRecord, auditRecord } from '@tideport/contracts/internal/audit-record'
import { connectNats } from '@tideport/service-kit/nats/nats'
import { createLogger } from '@tideport/service-kit/telemetry/logger'
import { startNats } from '@tideport/testing/nats'
import { setUpOnce } from '@tideport/testing/set-up-once'
import { waitFor } from '@tideport/testing/wait-for'
import { expect, it } from 'vitest'
import { receiveAuditRecords } from '../../src/audit/receive-audit-records.ts'
import { startAuth } from '../bundle.ts'

const t = setUpOnce(setup)

async function setup() {
  const stack = new AsyncDisposableStack()
  const server = stack.use(await startNats())
  const t = stack.use(await startAuth())
  const stop = new AbortController()
  stack.defer(() => stop.abort())
  const log = createLogger({ service: 'test', level: 'silent' })
  // Two processes, of which one replies to each request.
  for (const name of ['one', 'two']) {
    const nats = stack.use(connectNats({ natsUrl: [server.url], name, log }))
    stack.use(receiveAuditRecords({ db: t.db, nats, log, signal: stop.signal }))
  }
  const client = connectNats({ natsUrl: [server.url], name: 'client', log })
  stack.use(client)
  const ask = async (body: unknown) => {
    const connection = await client.connected(stop.signal)
    return (await connection.request(auditRecord.subject, JSON.stringify(body), { timeout: 60_000 })).string()
  }
  const isAnswered = () => ask(null).then((reply) => reply === 'refused').catch(() => false) // biome-ignore format: one chain
  await waitFor(isAnswered, { what: 'a reply' })
  return Object.assign(t, { server, ask, isAnswered, [Symbol.asyncDispose]: () => stack.disposeAsync() })
}

const recordOf = (accountId: string): AuditRecord => ({
  id: crypto.randomUUID(),
  accountId,
  kind: 'webhook.created',
  subjectId: crypto.randomUUID(),
  at: '2026-01-02T03:04:05.006Z',
  actor: { method: 'api_key', keyId: null, keyPrefix: 'tdp_Ab12', subject: null },
  clientAddress: '192.0.2.1',
  requestId: 'request',
  details: { host: 'receiver.example', events: ['file.hot'], active: true },
})

it('stops when the signal aborts just as the broker connects', async () => {
  await using server = await startNats()
  await using auth = await startAuth()
  const log = createLogger({ service: 'test', level: 'silent' })
  await using nats = connectNats({ natsUrl: [server.url], name: 'late', log })
  const stop = new AbortController()
  const connected = async (signal: AbortSignal) => {
    const connection = await nats.connected(signal)
    stop.abort()
    return connection
  }
  await using answering = receiveAuditRecords({ db: auth.db, nats: { ...nats, connected }, log, signal: stop.signal })
  await waitFor(() => stop.signal.aborted)
  await answering[Symbol.asyncDispose]()
  expect(nats.connection()?.isClosed()).toBe(false)
})

it('stores a repeated entry once and shows it only to its account', async () => {
  const [ann, bob] = [await t.account(), await t.account()]
  const { accountId, ...entry } = recordOf(ann.accountId)
  const replies = await Promise.all(Array.from({ length: 10 }, () => t.ask({ ...entry, accountId })))
  expect(new Set(replies)).toEqual(new Set(['kept']))
  const read = async (account: typeof ann) => (await t.call(account, 'GET', '/api/account/events')).body.events
  expect((await read(ann)).filter(({ kind }: { kind: string }) => kind === 'webhook.created')).toEqual([entry])
  expect((await read(bob)).map(({ kind }: { kind: string }) => kind)).toEqual(['account.created'])
})

it('refuses an invalid entry and requests one that cannot be stored again later', async () => {
  const { accountId } = await t.account()
  expect(await t.ask({ ...recordOf(accountId), kind: 'nonsense' })).toBe('refused')
  await t.sql('alter table audit_event rename to away')
  expect(await t.ask(recordOf(accountId))).toBe('later')
  await t.sql('alter table away rename to audit_event')
  expect(await t.ask(recordOf(accountId))).toBe('kept')
})

it('continues to reply after a broker outage', async () => {
  await t.server.kill()
  await t.server.start()
  await waitFor(t.isAnswered, { what: 'another reply' })
})
