import { startChaosProxy } from '@tideport/testing/chaos-proxy'
import { hangThreads } from '@tideport/testing/hang-threads'
import { createTestDatabase } from '@tideport/testing/postgres'
import { createPrincipalKeys } from '@tideport/testing/principal-keys'
import { waitFor } from '@tideport/testing/wait-for'
import { startService } from './start-service.ts'
import { startUpstream } from './start-upstream.ts'

const authMigrations = new URL('../../auth/migrations/', import.meta.url)
/** The discard port of loopback, where nothing listens. */
export const nowhere = 'http://127.0.0.1:9'

export const principalKeys = createPrincipalKeys()

/** The auth service as a process with its own database, which it reaches through the proxy `weather`. */
export async function startAuth(port = 0, env: Record<string, string> = {}) {
  const stack = new AsyncDisposableStack()
  const database = stack.use(await createTestDatabase({ schema: 'auth', migrations: authMigrations }))
  const databaseUrl = new URL(database.url)
  const weather = stack.use(await startChaosProxy({ host: databaseUrl.hostname, port: Number(databaseUrl.port) }))
  databaseUrl.host = `${weather.host}:${weather.port}`
  const start = (onPort: number) =>
    startService('auth', {
      DATABASE_URL: databaseUrl.href,
      // Nothing listens there: these tests need no broker.
      NATS_URL: 'nats://127.0.0.1:9',
      IDENTITY_TOKEN_PUBLIC_KEYS: principalKeys.publicKeys,
      S3_API_SECRET_KEYS: Buffer.alloc(32, 1).toString('base64'),
      PORT: String(onPort),
      ...env,
    })
  let service = stack.use(await start(port))
  return {
    url: service.url,
    sql: database.sql,
    weather,
    stop: () => service.kill(),
    /** Sends SIGTERM. */
    terminate: () => service.stop(),
    /** Requires a start with `threadsMayHang`. */
    hangThreads: () => hangThreads(service),
    /** Restarts on the same port. */
    async restart() {
      service = stack.use(await start(service.port))
    },
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  }
}

/** A gateway process. Upstreams that a test does not set are unreachable. */
export function startGateway(env: Record<string, string>) {
  return startService('gateway', {
    AUTH_URL: nowhere,
    FILES_URL: nowhere,
    WEBHOOKS_URL: nowhere,
    IDENTITY_TOKEN_PRIVATE_KEY: principalKeys.privateKey,
    RATE_LIMIT_PER_SECOND: '0',
    RATE_LIMIT_ANONYMOUS_PER_SECOND: '0',
    ...env,
  })
}

/**
 * A gateway in development mode, with stand-ins for the files service and for auth, which has an account for each
 * login. Tests that do not concern credentials thus do not depend on the speed of Postgres on a busy machine.
 */
export async function startDoor(settings: Record<string, string> = {}) {
  const stack = new AsyncDisposableStack()
  const auth = stack.use(await startUpstream())
  const accounts = new Map<string, string>()
  auth.answerWith((_request, response) => {
    const { subject = 'first', accountId = accounts.get(subject) ?? crypto.randomUUID() } = JSON.parse(
      auth.seen.at(-1)?.body ?? '',
    )
    accounts.set(subject, accountId)
    response.end(JSON.stringify({ accountId }))
  })
  const files = stack.use(await startUpstream())
  const env = { AUTH_URL: auth.url, SERVICE_ENV: 'development' }
  const gateway = stack.use(await startGateway({ ...env, FILES_URL: files.url, ...settings }))
  return {
    ...{ auth, files, gateway, env },
    async startOver() {
      files.seen.length = 0
      files.answerWith((_request, response) => response.end('{}'))
    },
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  }
}

/** For the setup of a test: repeats requests that get 503 because a busy machine is too slow. */
export const requestInTime: typeof request = (url, init) =>
  waitFor(async () => {
    const answer = await request(url, init)
    return answer.status !== 503 && answer
  })

/** Sends one request with fetch and parses the JSON. */
export async function request(url: string, init: RequestInit & { bearer?: string; json?: unknown } = {}) {
  const { bearer, json, ...rest } = init
  const headers = new Headers(init.headers)
  if (bearer !== undefined) headers.set('authorization', `Bearer ${bearer}`)
  if (json !== undefined) headers.set('content-type', 'application/json')
  const body = json === undefined ? init.body : JSON.stringify(json)
  const response = await fetch(url, { ...rest, headers, ...(body === undefined ? {} : { body }) })
  const text = await response.text()
  const isJson = response.headers.get('content-type')?.startsWith('application/json') && text !== ''
  // biome-ignore lint/suspicious/noExplicitAny: tests inspect responses of any shape
  return { status: response.status, headers: response.headers, body: (isJson ? JSON.parse(text) : text) as any }
}
