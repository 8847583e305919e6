import { randomBytes } from 'node:crypto'
import { subjectOf } from '@tideport/contracts/internal/message'
import { type AnyEvent, eventMessages } from '@tideport/contracts/internal/messages'
import { principalHeader } from '@tideport/contracts/internal/principal'
import { streams } from '@tideport/contracts/internal/streams'
import { connectNats } from '@tideport/service-kit/nats/nats'
import { provisionStreams } from '@tideport/service-kit/nats/provision-streams'
import { createLogger } from '@tideport/service-kit/telemetry/logger'
import { startChaosProxy } from '@tideport/testing/chaos-proxy'
import { createFailpoints } from '@tideport/testing/failpoints'
import { startNats } from '@tideport/testing/nats'
import { createTestDatabase } from '@tideport/testing/postgres'
import { createPrincipalKeys } from '@tideport/testing/principal-keys'
import { startReceiver } from '@tideport/testing/receiver'
import { spawnProgram } from '@tideport/testing/spawn-program'
import { type Account, migrations } from './setup.ts'

const main = new URL('../../src/main.ts', import.meta.url)

/** Broker, database, receiver, and failpoints for real processes of the service. */
export async function setupProcesses() {
  await using starting = new AsyncDisposableStack()
  const database = starting.use(await createTestDatabase({ schema: 'webhooks', migrations }))
  const proxied = new URL(database.url)
  const databaseProxy = starting.use(await startChaosProxy({ port: Number(proxied.port) }))
  proxied.port = String(databaseProxy.port)
  const receiver = starting.use(await startReceiver())
  const nats = starting.use(await startNats())
  const failpoints = starting.use(await createFailpoints())
  const { publicKeys, sign } = createPrincipalKeys()
  const log = createLogger({ service: 'test', level: 'silent' })
  const link = starting.use(connectNats({ natsUrl: [nats.url], name: 'test', log }))
  await provisionStreams(await link.connected(AbortSignal.timeout(60_000)))
  const env = {
    SERVICE_ENV: 'development',
    HOST: '127.0.0.1',
    PORT: '0',
    ADMIN_PORT: '0',
    DATABASE_URL: proxied.href,
    NATS_URL: nats.url,
    IDENTITY_TOKEN_PUBLIC_KEYS: publicKeys,
    WEBHOOK_SECRET_KEYS: randomBytes(32).toString('base64'),
    WEBHOOK_TIMEOUT_SECONDS: '10',
    WEBHOOK_RETRY_SCALE: '0.01',
    FAILPOINT_DIR: failpoints.directory,
  }
  let replicas = starting.use(new AsyncDisposableStack())
  const stack = starting.move()

  return {
    database,
    /** The proxy between the service and its database. */
    databaseProxy,
    receiver,
    nats,
    failpoints,
    /** Starts one replica and waits until it is ready. */
    async start(settings: Record<string, string> = {}) {
      const replica = replicas.use(spawnProgram(main, { ...env, ...settings }))
      await replica.ready()
      return { ...replica, url: await replica.url() }
    },
    async publish(event: AnyEvent) {
      const subject = subjectOf(eventMessages[event.payload.event], event.eventId)
      await link.jetstream().publish(subject, JSON.stringify(event), { msgID: event.eventId })
    },
    async call(base: string, account: Account, method: 'GET' | 'POST', path: string, body?: unknown) {
      const token = await sign({ kind: 'account', method: 'api_key', ...account }, 'webhooks')
      const answer = await fetch(`${base}${path}`, {
        method,
        headers: { [principalHeader]: token, 'content-type': 'application/json' },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      })
      // biome-ignore lint/suspicious/noExplicitAny: tests inspect responses of any shape
      return (await answer.json()) as any
    },
    async startOver() {
      await replicas.disposeAsync()
      replicas = stack.use(new AsyncDisposableStack())
      databaseProxy.setWeather({ kind: 'pass' })
      receiver.startOver()
      await database.sql('delete from webhook; delete from audit_outbox')
      await provisionStreams(await link.connected(AbortSignal.timeout(60_000)))
      const manager = await link.jetstream().jetstreamManager()
      await manager.streams.purge(streams.events.name)
    },
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  }
}
