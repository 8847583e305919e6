import { hash } from 'node:crypto'
import { formatApiKey } from '@tideport/contracts/public/api-key-format'
import { waitFor } from '@tideport/testing/wait-for'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { request, requestInTime, startAuth, startGateway } from '../bundle.ts'
import { startUpstream } from '../start-upstream.ts'

const publicFile = '/api/public/files/0198f2a0-0000-7000-8000-000000000001'
const stack = new AsyncDisposableStack()
let auth: Awaited<ReturnType<typeof startAuth>>
let files: Awaited<ReturnType<typeof startUpstream>>
let env: Record<string, string>
let gateway: Awaited<ReturnType<typeof startGateway>>

beforeAll(async () => {
  auth = stack.use(await startAuth())
  files = stack.use(await startUpstream())
  env = {
    AUTH_URL: auth.url,
    FILES_URL: files.url,
    SERVICE_ENV: 'development',
    TRUSTED_PROXIES: '127.0.0.0/8',
    // So slow that the limit does not recover during a test.
    RATE_LIMIT_PER_SECOND: '0.001',
    RATE_LIMIT_BURST: '5',
    // Changes to the table take effect immediately.
    KEY_ANSWER_SECONDS: '0',
    RATE_LIMIT_ANONYMOUS_PER_SECOND: '0.001',
    RATE_LIMIT_ANONYMOUS_BURST: '3',
    CORS_ORIGINS: 'https://app.test,https://other.test',
    PUBLIC_URL: 'https://tideport.test',
  }
  gateway = stack.use(await startGateway(env))
})
afterAll(() => stack.disposeAsync())

const times = async <T>(count: number, ask: () => Promise<T>) => {
  const answers: T[] = []
  for (let i = 0; i < count; i++) answers.push(await ask())
  return answers
}
const as = (provider: string) => () =>
  request(`${gateway.url}/api/vaults`, { headers: { 'X-Dev-Provider-Id': provider } })
const from =
  (address: string, path = publicFile, bearer?: string) =>
  () =>
    request(gateway.url + path, { headers: { 'X-Forwarded-For': address }, ...(bearer ? { bearer } : {}) })
const guess = () => formatApiKey(crypto.getRandomValues(new Uint8Array(32)))
const digest = (key: string) => hash('sha256', key, 'buffer')
/** Counts as one request of the account. */
async function createKey(provider: string): Promise<string> {
  const headers = { 'X-Dev-Provider-Id': provider }
  const { body } = await requestInTime(`${gateway.url}/api/auth/api-keys`, {
    method: 'POST',
    headers,
    json: { name: 'k' },
  })
  return body.key
}
const statuses = (answers: { status: number }[]) => answers.map(({ status }) => status)

describe('rate limits', () => {
  it('count each account separately, report the remaining requests, and return 429 with Retry-After', async () => {
    const answers = await times(7, as('ann'))
    expect(statuses(answers)).toEqual([200, 200, 200, 200, 200, 429, 429])
    const left = answers.map(({ headers }) => [headers.get('ratelimit-limit'), headers.get('ratelimit-remaining')])
    expect(left).toEqual(['4', '3', '2', '1', '0', '0', '0'].map((remaining) => ['5', remaining]))
    for (const { headers } of answers) expect(Number(headers.get('ratelimit-reset'))).toBeGreaterThan(0)
    expect(answers[5]?.body).toEqual({ error: 'Too many requests', code: 'rate_limited' })
    expect(Number(answers[5]?.headers.get('retry-after'))).toBeGreaterThan(0)
    expect((await as('bob')()).status).toBe(200)
    const tooLarge = { method: 'POST', headers: { 'X-Dev-Provider-Id': 'bob' }, json: { name: 'x'.repeat(70_000) } }
    const refused = await request(`${gateway.url}/api/vaults`, tooLarge)
    expect([refused.status, refused.headers.get('ratelimit-remaining')]).toEqual([413, '3'])
  })

  it('count anonymous requests by address, IPv6 by /64, and trust only trusted proxies', async () => {
    expect(statuses(await times(4, from('203.0.113.1')))).toEqual([200, 200, 200, 429])
    expect((await from('203.0.113.2')()).status).toBe(200)
    expect((await from('198.51.100.1, 203.0.113.1')()).status).toBe(429)
    const sameNetwork = ['2001:db8::1', '2001:db8::ffff', '2001:db8::1:2:3:4', '2001:db8:0:0:9::']
    const answers = []
    for (const address of sameNetwork) answers.push(await from(address)())
    expect(statuses(answers)).toEqual([200, 200, 200, 429])
  })

  it('reject only failed logins of an address with too many failures, never a valid key or a public read', async () => {
    const [known, fresh] = [await createKey('dan'), await createKey('dan')]
    const [from50, from51] = ['203.0.113.50', '203.0.113.51']
    expect((await from(from50, '/api/vaults', known)()).status).toBe(200)
    const guesses = await times(5, () => from(from50, '/api/vaults', guess())())
    expect(statuses(guesses)).toEqual([401, 401, 401, 429, 429])
    expect(Number(guesses[4]?.headers.get('retry-after'))).toBeGreaterThan(0)
    for (const key of [known, fresh]) expect((await from(from50, '/api/vaults', key)()).status).toBe(200)
    expect((await from(from50, publicFile)()).status).toBe(200)
    expect((await from(from51, '/api/vaults', guess())()).status).toBe(401)
  })

  it('admit a valid key during a flood of invalid ones from its address', async () => {
    const key = await createKey('eve')
    const flood = Array.from({ length: 200 }, () => from('203.0.113.52', '/api/vaults', guess())())
    expect((await from('203.0.113.52', '/api/vaults', key)()).status).toBe(200)
    const answers = statuses(await Promise.all(flood))
    expect(answers.filter((status) => status === 401)).toHaveLength(3)
    expect(answers.filter((status) => status === 429)).toHaveLength(197)
  })

  it('cause no lookup for an account over its limit, and still reject a revoked key', async () => {
    const [key, revoked] = [await createKey('fay'), await createKey('gus')]
    const read = (bearer: string) => from('203.0.113.53', '/api/vaults', bearer)()
    expect(statuses(await times(6, () => read(key)))).toEqual([200, 200, 200, 200, 429, 429])
    await read(revoked)
    await auth.sql('update api_key set revoked_at = now() where digest = $1', [digest(revoked)])
    expect((await read(revoked)).body.code).toBe('api_key_revoked')
    await auth.stop()
    const refused = await read(key)
    expect(refused).toMatchObject({ status: 429, body: { code: 'rate_limited' } })
    expect(refused.headers.get('ratelimit-remaining')).toBe('0')
    await auth.restart()
  })
})

it('ignores and counts X-Forwarded-For from an untrusted sender, and warns at most once in five minutes', async () => {
  await using direct = await startGateway({ ...env, TRUSTED_PROXIES: '' })
  const spoofed = [1, 2, 3, 4].map((i) => ({ headers: { 'X-Forwarded-For': `203.0.113.${i}` } }))
  const answers = await Promise.all(spoofed.map((init) => request(direct.url + publicFile, init)))
  expect(statuses(answers).toSorted()).toEqual([200, 200, 200, 429])
  const metrics = await (await fetch(`${direct.adminUrl}/metrics`)).text()
  expect(metrics).toMatch(/tideport_untrusted_forwarded_for_total\{[^}]*\} 4\n/)
  await waitFor(() => direct.printed().includes('X-Forwarded-For ignored'))
  expect(direct.printed().match(/"level":"warn"[^\n]*"peer":"127\.0\.0\.1"[^\n]*TRUSTED_PROXIES/g)).toHaveLength(1)
  expect(gateway.printed()).not.toContain('X-Forwarded-For ignored')
})

it('counts authentication results, rejections by limit, and responses of upstreams', async () => {
  await using direct = await startGateway(env)
  const key = await createKey('ivy')
  await request(`${direct.url}/api/vaults`, { headers: { authorization: `Bearer ${key}` } })
  await times(5, () => request(`${direct.url}/api/vaults`, { headers: { authorization: 'Bearer nonsense' } }))
  const metrics = await (await fetch(`${direct.adminUrl}/metrics`)).text()
  expect(metrics).toMatch(
    /tideport_auth_decisions_total\{method="api_key",outcome="accepted",reason="valid"[^}]*\} 1\n/,
  )
  expect(metrics).toMatch(
    /tideport_auth_decisions_total\{method="jwt",outcome="refused",reason="unauthenticated"[^}]*\} 5\n/,
  )
  expect(metrics).toMatch(/tideport_rate_limited_total\{limit="failures"[^}]*\} [1-9]/)
  expect(metrics).toMatch(
    /http_client_request_duration_seconds_count\{[^}]*peer="auth",operation="POST",outcome="2xx"[^}]*\} 1\n/,
  )
})

describe('a request that costs more than one', () => {
  const costly = (cost: string) =>
    files.answerWith((_request, response) => response.setHeader('x-tideport-cost', cost).end('{}'))
  afterEach(() => files.answerWith((_request, response) => response.end('{}')))

  it('is charged to its account before the response, which reports the remaining requests but not the cost', async () => {
    costly('3')
    const { status, headers } = await as('costa')()
    expect([status, headers.get('ratelimit-remaining'), headers.get('x-tideport-cost')]).toEqual([200, '1', null])
    expect(statuses(await times(2, as('costa')))).toEqual([200, 429])
    expect((await as('other')()).headers.get('ratelimit-remaining')).toBe('1')
  })

  it('is charged to its address without an account', async () => {
    costly('2')
    expect(statuses(await times(2, from('203.0.113.120')))).toEqual([200, 429])
  })

  it('is charged only by valid costs from services', async () => {
    const lying = { 'X-Dev-Provider-Id': 'liar', 'x-tideport-cost': '-100' }
    expect((await request(`${gateway.url}/api/vaults`, { headers: lying })).headers.get('ratelimit-remaining')).toBe(
      '4',
    )
    expect(files.seen.at(-1)?.headers).not.toHaveProperty('x-tideport-cost')
    for (const cost of ['-5', 'NaN', '', 'Infinity']) {
      costly(cost)
      expect((await as(`nonsense${cost}`)()).headers.get('ratelimit-remaining')).toBe('4')
    }
  })

  it('is charged even if the client does not wait for the response', async () => {
    const { promise: asked, resolve } = Promise.withResolvers<void>()
    files.answerWith(() => resolve())
    const gone = new AbortController()
    const headers = { 'X-Dev-Provider-Id': 'hasty' }
    const call = fetch(`${gateway.url}/api/vaults`, { headers, signal: gone.signal })
    await asked
    gone.abort()
    await expect(call).rejects.toThrow()
    files.answerWith((_request, response) => response.end('{}'))
    // Longer than the complete burst takes to recover.
    await waitFor(async () => Number((await as('hasty')()).headers.get('retry-after')) > 5000)
  })
})

describe('browsers', () => {
  const preflight = (origin: string) =>
    request(`${gateway.url}/api/files/upload`, {
      method: 'OPTIONS',
      headers: {
        Origin: origin,
        'Access-Control-Request-Method': 'POST',
        'Access-Control-Request-Headers': 'authorization,content-type,idempotency-key',
      },
    })

  /** Response headers that a page needs, in addition to those that browsers always expose. */
  const readable = [
    ...['X-Request-Id', 'RateLimit-Limit', 'RateLimit-Remaining', 'RateLimit-Reset', 'Retry-After'],
    ...['ETag', 'Content-Disposition', 'Content-Range', 'Accept-Ranges'],
  ]

  it('of a configured origin pass the preflight and can read responses and errors; others cannot', async () => {
    const allowed = await preflight('https://app.test')
    expect(allowed.status).toBe(204)
    expect(allowed.headers.get('access-control-allow-origin')).toBe('https://app.test')
    expect(allowed.headers.get('access-control-allow-methods')).toContain('POST')
    expect(allowed.headers.get('access-control-allow-headers')).toBe('authorization,content-type,idempotency-key')
    expect((await preflight('https://evil.test')).headers.get('access-control-allow-origin')).toBeNull()

    const read = (path: string, origin: string) =>
      request(gateway.url + path, {
        headers: { origin, 'X-Forwarded-For': '203.0.113.70', 'X-Dev-Provider-Id': 'cara' },
      })
    for (const path of [publicFile, '/api/vaults', '/api/nothing']) {
      const { headers } = await read(path, 'https://other.test')
      expect([path, headers.get('access-control-allow-origin')]).toEqual([path, 'https://other.test'])
      expect(headers.get('access-control-expose-headers')?.split(', ')).toEqual(expect.arrayContaining(readable))
      expect(headers.get('access-control-allow-credentials')).toBeNull()
      expect((await read(path, 'https://evil.test')).headers.get('access-control-allow-origin')).toBeNull()
    }
  })
})

it('returns 404 for OPTIONS of an unknown path unless it is a preflight', async () => {
  const options = (headers: Record<string, string>) =>
    request(`${gateway.url}/api/nothing`, { method: 'OPTIONS', headers: { origin: 'https://app.test', ...headers } })
  expect(await options({})).toMatchObject({ status: 404, body: { code: 'not_found' } })
  expect((await options({ 'Access-Control-Request-Method': 'GET' })).status).toBe(204)
})
