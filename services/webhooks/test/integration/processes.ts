import { type ChildProcess, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { fileURLToPath } from 'node:url'
import { subjectOf } from '@tideport/contracts/internal/message'
import { type AnyEvent, eventMessages } from '@tideport/contracts/internal/messages'
import { principalHeader } from '@tideport/contracts/internal/principal'
import { connectNats } from '@tideport/service-kit/nats/nats'
import { provisionStreams } from '@tideport/service-kit/nats/provision-streams'
import { createLogger } from '@tideport/service-kit/telemetry/logger'
import { startChaosProxy } from '@tideport/testing/chaos-proxy'
import { createFailpoints } from '@tideport/testing/failpoints'
import { startNats } from '@tideport/testing/nats'
import { nodeEnvironment } from '@tideport/testing/node-environment'
import { createTestDatabase } from '@tideport/testing/postgres'
import { createPrincipalKeys } from '@tideport/testing/principal-keys'
import { startReceiver } from '@tideport/testing/receiver'
import { waitFor } from '@tideport/testing/wait-for'
import { type Account, migrations } from './setup.ts'

const main = fileURLToPath(new URL('../../src/main.ts', import.meta.url))

/** What the service needs around it, for real processes of it: broker, database, receiver, failpoints, settings. */
export async function setupProcesses(settings: Record<string, string> = {}) {
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
  await provisionStreams(await link.connected(AbortSignal.timeout(10_000)))
  const env = {
    ...nodeEnvironment(),
    SERVICE_ENV: 'development',
    HOST: '127.0.0.1',
    DATABASE_URL: proxied.href,
    NATS_URL: nats.url,
    IDENTITY_TOKEN_PUBLIC_KEYS: publicKeys,
    WEBHOOK_SECRET_KEYS: randomBytes(32).toString('base64'),
    WEBHOOK_TIMEOUT_SECONDS: '1',
    WEBHOOK_RETRY_SCALE: '0.01',
    FAILPOINT_DIR: failpoints.directory,
    ...settings,
  }
  const stack = starting.move()

  return {
    database,
    /** Between the service and its database. */
    databaseProxy,
    receiver,
    nats,
    failpoints,
    /** Starts one replica and waits until it is ready. */
    async start() {
      const [port, adminPort] = await Promise.all([freePort(), freePort()])
      const child = spawn(process.execPath, [main], {
        env: { ...env, PORT: String(port), ADMIN_PORT: String(adminPort) },
        stdio: ['ignore', 'ignore', 'inherit'],
      })
      const replica = { url: `http://127.0.0.1:${port}`, pid: child.pid, ...endings(child) }
      stack.defer(() => replica.kill())
      await waitFor(async () => (await fetch(`http://127.0.0.1:${adminPort}/ready`)).ok)
      return replica
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
      // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of any shape
      return (await answer.json()) as any
    },
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  }
}

function endings(child: ChildProcess) {
  const exited = once(child, 'exit') as Promise<[number | null, string | null]>
  return {
    exited,
    /** SIGTERM; the exit code. */
    async stop() {
      child.kill('SIGTERM')
      return (await exited)[0]
    },
    /** SIGKILL. */
    async kill() {
      child.kill('SIGKILL')
      await exited
    },
  }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  server.close()
  await once(server, 'close')
  if (address === null || typeof address === 'string') throw new Error('No port was given')
  return address.port
}
