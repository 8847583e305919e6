import { setTimeout as delay } from 'node:timers/promises'
import { postgresWaitHeader, postgresWaitMs } from '@tideport/contracts/internal/request-headers'
import { formatApiKey } from '@tideport/contracts/public/api-key-format'
import { isFullRun } from '@tideport/testing/full-run'
import { hangThreads, threadsMayHang } from '@tideport/testing/hang-threads'
import { startIdentityProvider } from '@tideport/testing/identity-provider'
import { createPrincipalKeys } from '@tideport/testing/principal-keys'
import { waitFor } from '@tideport/testing/wait-for'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { request, requestInTime, startAuth, startDoor, startGateway } from '../bundle.ts'
import { startUpstream } from '../start-upstream.ts'

const keys = '/api/auth/api-keys'
const stack = new AsyncDisposableStack()
let door: Awaited<ReturnType<typeof startDoor>>

beforeAll(async () => {
  door = stack.use(await startDoor())
})
afterAll(() => stack.disposeAsync())

function expectUnavailable({ status, body, headers }: Awaited<ReturnType<typeof request>>) {
  expect([status, body.code]).toEqual([503, 'unavailable'])
  expect(Number(headers.get('retry-after'))).toBeGreaterThan(0)
}

describe('while auth’s Postgres', () => {
  it.each(isFullRun ? (['blackhole', 'reset'] as const) : (['blackhole'] as const))(
    'is unavailable (%s), requests get 503, and succeed afterward',
    async (kind) => {
      await using auth = await startAuth()
      await using gateway = await startGateway({ AUTH_URL: auth.url, SERVICE_ENV: 'development' })
      const asAnn = { headers: { 'X-Dev-Provider-Id': 'ann' } }
      const { body } = await requestInTime(gateway.url + keys, { method: 'POST', json: { name: 'k' }, ...asAnn })
      auth.weather.setWeather({ kind })
      if (kind === 'reset') auth.weather.cut()
      // More simultaneous requests than connections in auth's pool.
      const asked = Array.from({ length: 25 }, () => request(gateway.url + keys, { bearer: body.key }))
      for (const answer of await Promise.all(asked)) expectUnavailable(answer)
      expectUnavailable(await request(gateway.url + keys, { headers: { 'X-Dev-Provider-Id': 'new' } }))
      auth.weather.setWeather({ kind: 'pass' })
      await waitFor(async () => (await request(gateway.url + keys, { bearer: body.key })).status === 200)
    },
  )
})

it('returns 503, not 401, if a service rejects the gateway’s token because of its keys or clock', async () => {
  await using auth = await startAuth(0, { IDENTITY_TOKEN_PUBLIC_KEYS: createPrincipalKeys().publicKeys })
  await using gateway = await startGateway({ AUTH_URL: auth.url, SERVICE_ENV: 'development' })
  expectUnavailable(
    await request(gateway.url + keys, { bearer: formatApiKey(crypto.getRandomValues(new Uint8Array(32))) }),
  )
  expectUnavailable(await request(gateway.url + keys, { headers: { 'X-Dev-Provider-Id': 'ann' } }))
})

describe('while every libuv thread of gateway and auth is blocked, as by an unresponsive disk', () => {
  it('logins and keys are authenticated, including new ones', async () => {
    await using provider = await startIdentityProvider()
    await using auth = await startAuth(0, threadsMayHang)
    await using gateway = await startGateway({
      AUTH_URL: auth.url,
      IDENTITY_PROVIDER_ISSUER: provider.issuer,
      IDENTITY_PROVIDER_AUDIENCE: provider.audience,
      ...threadsMayHang,
    })
    const algorithms = ['RS256', 'ES256', 'EdDSA'] as const
    const logins = (of: string) =>
      Promise.all(algorithms.map((algorithm) => provider.issueToken({ subject: `${of} ${algorithm}`, algorithm })))
    const [known, fresh] = [await logins('known'), await logins('new')]
    const ask = (bearer: string, init: object = {}) => request(gateway.url + keys, { bearer, ...init })
    for (const token of known) expect((await ask(token)).status).toBe(200)

    await Promise.all([hangThreads(gateway), auth.hangThreads()])
    for (const token of [...known, ...fresh]) expect((await ask(token)).status).toBe(200)
    const { status, body } = await ask(fresh[0] ?? '', { method: 'POST', json: { name: 'k' } })
    expect([status, (await ask(body.key)).status]).toEqual([201, 200])
    const unknown = formatApiKey(crypto.getRandomValues(new Uint8Array(32)))
    expect((await ask(unknown)).status).toBe(401)
    expect((await ask(`${known[0]?.slice(0, -8)}AAAAAAAA`)).status).toBe(401)
  })
})

describe('the wait budget for Postgres', () => {
  const principal = { kind: 'account', accountId: crypto.randomUUID(), method: 'api_key', scopes: null }
  const bearer = formatApiKey(crypto.getRandomValues(new Uint8Array(32)))
  const waitSeenBy = ({ seen }: { seen: { headers: NodeJS.Dict<string | string[]> }[] }) =>
    Number(seen.at(-1)?.headers[postgresWaitHeader])

  it('gives the service what auth has not used', async () => {
    await using auth = await startUpstream()
    await using gateway = await startGateway({ AUTH_URL: auth.url, FILES_URL: door.files.url })
    auth.answerWith(async (_request, response) => {
      await delay(50)
      response.end(JSON.stringify(principal))
    })
    expect((await request(`${gateway.url}/api/vaults`, { bearer })).status).toBe(200)
    expect([waitSeenBy(auth), waitSeenBy(door.files) < postgresWaitMs - 45]).toEqual([postgresWaitMs, true])
  })

  it('goes completely to the service of a public route, whatever the client sends', async () => {
    const path = '/api/public/files/0198f2a0-0000-7000-8000-000000000001'
    await request(door.gateway.url + path, { headers: { [postgresWaitHeader]: '1' } })
    expect(waitSeenBy(door.files)).toBe(postgresWaitMs)
  })
})
