import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { auditRecord } from '@tideport/contracts/internal/audit-record'
import { consumers, networkConsumers } from '@tideport/contracts/internal/streams'
import { connectNats, type NatsLink } from '@tideport/service-kit/nats/nats'
import { createLogger } from '@tideport/service-kit/telemetry/logger'
import { startNats } from '@tideport/testing/nats'
import { createTemporaryDirectory } from '@tideport/testing/temporary-directory'
import { expect, it } from 'vitest'
import { keepSecretFiles } from '../../src/secret-files.ts'
import { setUpStreams } from '../../src/set-up/servers.ts'

const log = createLogger({ service: 'broker-users', level: 'silent' })
const { store, prove } = networkConsumers('embedded')
const all = [...Object.values(consumers), store, prove]
const job = (kind: string, id: string) =>
  `jobs.${kind}.v1.${kind === 'store' || kind === 'prove' ? 'embedded.' : ''}${id}`

/** A server with the users that the job of docker-compose.yml creates, and a connection per process. */
async function startBroker() {
  const stack = new AsyncDisposableStack()
  const { path } = stack.use(await createTemporaryDirectory('broker'))
  await keepSecretFiles(path, { postgres: 'postgres:5432', nats: 'HOST' })
  const configuration = await readFile(join(path, 'nats', 'NATS_SERVER_CONFIGURATION'), 'utf8')
  const server = stack.use(await startNats({ configuration }))
  const urlOf = async (user: string) =>
    (await readFile(join(path, user, 'NATS_URL'), 'utf8')).trim().replace('HOST', new URL(server.url).host)
  async function as(user: string) {
    const name = user === 'operator' ? 'set-up' : user
    const link = stack.use(connectNats({ natsUrl: [await urlOf(user)], name, log, consumers: [store, prove] }))
    return { link, connection: await link.connected(AbortSignal.timeout(60_000)) }
  }
  return { server, urlOf, as, [Symbol.asyncDispose]: () => stack.disposeAsync() }
}

const managerOf = ({ link }: { link: NatsLink }) => link.jetstream().jetstreamManager()

/** Expects the server to reject each subject. */
function refusing(connection: Awaited<ReturnType<NatsLink['connected']>>) {
  const seen: string[] = []
  void (async () => {
    for await (const status of connection.status()) if (status.type === 'error') seen.push(status.error.message)
  })()
  return async (subject: string, act: (subject: string) => unknown) => {
    const before = seen.length
    act(subject)
    // The server processes the messages of a connection in order.
    await connection.flush()
    await expect
      .poll(() => seen.slice(before), { message: subject })
      .toEqual([expect.stringMatching(/permissions violation/i)])
  }
}

it.each(['set-up', 'files', 'sync', 'eviction', 'webhooks'])('%s restores streams that a broker lost', async (user) => {
  await using broker = await startBroker()
  const { link } = await broker.as(user)
  await link.provision(AbortSignal.timeout(60_000))
  const manager = await managerOf(await broker.as('operator'))
  for (const { stream, durable } of all) expect((await manager.consumers.info(stream, durable)).name).toBe(durable)
})

it('each process has the permissions for its work', async () => {
  await using broker = await startBroker()
  const setUp = async (bytes: string) => {
    const env = { NATS_URL: await broker.urlOf('set-up'), EVENTS_MAX_BYTES: bytes, STORAGE_NETWORKS: 'embedded' }
    const context = { env, log, args: [], print: () => {}, signal: AbortSignal.timeout(60_000) }
    await setUpStreams(context)
  }
  await setUp('100000000')
  await setUp('200000000')
  const [files, sync, eviction, webhooks, auth, operator] = (await Promise.all(
    ['files', 'sync', 'eviction', 'webhooks', 'auth', 'operator'].map((user) => broker.as(user)),
  )) as [Link, Link, Link, Link, Link, Link]
  const manager = await managerOf(operator)
  expect((await manager.streams.info('EVENTS')).config.max_bytes).toBe(200_000_000)

  for (const { link } of [files, sync, eviction]) {
    const id = crypto.randomUUID()
    for (const kind of ['store', 'prove', 'rehydrate', 'evict']) await link.jetstream().publish(job(kind, id), '{}')
    const { seq } = await link.jetstream().publish(`events.file.hot.v1.${id}`, '{}')
    const found = await (await managerOf({ link })).streams.getMessage('EVENTS', {
      seq,
    })
    expect(found?.subject).toContain(id)
  }
  const taken: Record<string, number> = {}
  for (const [{ link }, queues] of [
    [sync, [consumers.rehydrate, store]],
    [eviction, [consumers.evict, prove]],
    [webhooks, [consumers.fanOut]],
  ] as const) {
    await link.provision(AbortSignal.timeout(60_000))
    for (const { stream, durable } of queues) {
      const consumer = await link.jetstream().consumers.get(stream, durable)
      for (let message = await consumer.next(); message !== null; ) {
        expect(await message.ackAck()).toBe(true)
        taken[durable] = (taken[durable] ?? 0) + 1
        message = taken[durable] < 3 ? await consumer.next() : null
      }
    }
  }
  expect(taken).toEqual(Object.fromEntries(all.map(({ durable }) => [durable, 3])))

  const answering = auth.connection.subscribe(auditRecord.subject, { queue: 'auth' })
  await auth.connection.flush()
  void (async () => {
    for await (const message of answering) message.respond('"kept"')
  })()
  expect((await webhooks.connection.request(auditRecord.subject, '{}', { timeout: 60_000 })).json()).toBe('kept')

  await manager.streams.purge('JOBS', { filter: 'jobs.*.v1.embedded.*' })
  expect(await manager.consumers.delete('JOBS', store.durable)).toBe(true)
})

type Link = Awaited<ReturnType<Awaited<ReturnType<typeof startBroker>>['as']>>

const streamWrites = ['STREAM.DELETE.JOBS', 'STREAM.PURGE.EVENTS', 'STREAM.MSG.DELETE.EVENTS', 'STREAM.CREATE.MINE']
const foreign = [
  'CONSUMER.CREATE.EVENTS.mine',
  'CONSUMER.DURABLE.CREATE.EVENTS.mine',
  'CONSUMER.DELETE.EVENTS.webhooks-fan-out',
]
const ofNobody = [...streamWrites, ...foreign].map((call) => `$JS.API.${call}`)
const updates = ['$JS.API.STREAM.UPDATE.JOBS', '$JS.API.STREAM.UPDATE.EVENTS']
const others = ['set-up', 'files', 'sync', 'eviction', 'webhooks']
const nextOf = (stream: string, durable: string) => `$JS.API.CONSUMER.MSG.NEXT.${stream}.${durable}`
const nothing = ['x', '$SYS.REQ.SERVER.PING', '_INBOX.files.reply', '$KV.x.y', ...ofNobody]
const secretsOfFiles = [nextOf('EVENTS', 'webhooks-fan-out'), '$JS.ACK.EVENTS.webhooks-fan-out.1', auditRecord.subject]
const secretsOfJobs = [nextOf('JOBS', 'store-embedded'), nextOf('JOBS', 'evict'), '$JS.ACK.JOBS.evict.1']
const messages = ['jobs.evict.v1.x', 'events.file.hot.v1.x']

it.each([
  {
    user: 'files',
    publish: [...nothing, ...updates, ...secretsOfFiles, ...secretsOfJobs, '$JS.API.STREAM.MSG.GET.JOBS'],
  },
  { user: 'sync', publish: [...nothing, ...updates, ...secretsOfFiles] },
  { user: 'eviction', publish: [...nothing, ...updates, ...secretsOfFiles] },
  {
    user: 'webhooks',
    publish: [...nothing, ...updates, ...secretsOfJobs, ...messages, '$JS.API.STREAM.MSG.GET.EVENTS'],
  },
  { user: 'auth', publish: [...nothing, ...updates, ...secretsOfJobs, ...secretsOfFiles, ...messages, '$JS.API.INFO'] },
  { user: 'set-up', publish: [...nothing, ...secretsOfJobs, ...secretsOfFiles, ...messages] },
  { user: 'operator', publish: [...nothing, ...secretsOfJobs, ...secretsOfFiles, ...messages] },
])('$user cannot publish or subscribe to other subjects', async ({ user, publish }) => {
  await using broker = await startBroker()
  const { connection } = await broker.as(user)
  const expectRefused = refusing(connection)
  for (const subject of publish) {
    await expectRefused(subject, (to) => connection.publish(to, '{}'))
  }
  const inboxes = others
    .filter((other) => other !== (user === 'operator' ? 'set-up' : user))
    .map((other) => `_INBOX.${other}.>`)
  const subjects = ['>', 'jobs.>', 'events.>', '_INBOX.>', '$JS.>', '$JS.API.>', '$SYS.>', ...inboxes]
  for (const subject of user === 'auth' ? subjects : [...subjects, 'audit.>', auditRecord.subject]) {
    await expectRefused(subject, (to) => connection.subscribe(to, { callback: () => {} }))
  }
})
