import { startChaosProxy } from '@tideport/testing/chaos-proxy'
import { createTestDatabase } from '@tideport/testing/postgres'
import { createPrincipalKeys } from '@tideport/testing/principal-keys'
import { spawnProgram } from '@tideport/testing/spawn-program'
import { waitFor } from '@tideport/testing/wait-for'
import { afterAll, beforeAll, expect, test } from 'vitest'

/** Nothing listens there. */
const nowhere = 'http://127.0.0.1:9'
const program = new URL('../../src/main.ts', import.meta.url)
const migrations = new URL('../../../auth/migrations/', import.meta.url)
/** With a valid checksum, so that auth has to look it up. */
const unknownKey = { authorization: `Bearer tdp_${'0'.repeat(43)}3Sop6g` }

const parts = new AsyncDisposableStack()
let databaseUrl: URL
let weather: Awaited<ReturnType<typeof startChaosProxy>>

beforeAll(async () => {
  const database = parts.use(await createTestDatabase({ schema: 'auth', migrations }))
  databaseUrl = new URL(database.url)
  weather = parts.use(await startChaosProxy({ host: databaseUrl.hostname, port: Number(databaseUrl.port) }))
  databaseUrl.host = `${weather.host}:${weather.port}`
})

afterAll(() => parts.disposeAsync())

/** The gateway and auth in one process. */
function spawnServe() {
  const { privateKey, publicKeys } = createPrincipalKeys()
  return spawnProgram(program, {
    TIDEPORT_PROCESSES: 'gateway,auth',
    ...{ HOST: '127.0.0.1', PORT: '0', ADMIN_PORT: '0', CONNECTION_DRAIN_SECONDS: '0' },
    AUTH_DATABASE_URL: databaseUrl.href,
    ...{ NATS_URL: 'nats://127.0.0.1:9', FILES_URL: nowhere, WEBHOOKS_URL: nowhere },
    ...{ IDENTITY_TOKEN_PRIVATE_KEY: privateKey, IDENTITY_TOKEN_PUBLIC_KEYS: publicKeys },
    S3_API_SECRET_KEYS: Buffer.alloc(32).toString('base64'),
  })
}

test('the gateway listens when auth takes requests, so a client that waits for the port gets no 503', async () => {
  await using serve = spawnServe()
  const url = await serve.url()
  expect((await fetch(`${url}/api/account`, { headers: unknownKey })).status).toBe(401)
  expect((await fetch(`${url}/ready`)).status).toBe(200)
})

test.each(['reset', 'blackhole'] as const)(
  'the gateway listens while Postgres is down (%s), and is not ready',
  async (kind) => {
    weather.setWeather({ kind })
    await using serve = spawnServe()
    const url = await serve.url()
    const ready = async () => (await (await fetch(`${url}/ready`)).json()) as { status: string }
    const refused = await fetch(`${url}/api/account`, { headers: unknownKey })
    expect([refused.status, await refused.json()]).toMatchObject([
      503,
      { error: 'Authentication is temporarily unavailable' },
    ])
    expect(await ready()).toMatchObject({ status: 'starting', waitingFor: ['auth'], dependencies: { auth: 'up' } })
    weather.setWeather({ kind: 'pass' })
    weather.cut()
    await waitFor(async () => (await ready()).status === 'ready', { what: 'the process to be ready' })
    expect((await fetch(`${url}/api/account`, { headers: unknownKey })).status).toBe(401)
  },
)

test('a process that waits for Postgres stops on SIGTERM without listening', async () => {
  weather.setWeather({ kind: 'blackhole' })
  await using serve = spawnServe()
  await serve.line('admin port open')
  await waitFor(() => weather.connections() > 0, { what: 'a connection to Postgres' })
  expect(await serve.stop()).toEqual({ code: 0, signal: null })
  expect(serve.lines().map(({ msg }) => msg)).not.toContain('listening')
  weather.setWeather({ kind: 'pass' })
})
