import { afterAll, beforeAll, expect, it } from 'vitest'
import { request, startGateway } from '../bundle.ts'

const stack = new AsyncDisposableStack()
let gateway: Awaited<ReturnType<typeof startGateway>>
/** Without a public client, and with a low rate limit. */
let limited: typeof gateway

const issuer = 'https://login.example.com'

// Outside development mode and without services: the pages need neither a login nor a service.
beforeAll(async () => {
  const provider = { IDENTITY_PROVIDER_ISSUER: issuer, IDENTITY_PROVIDER_AUDIENCE: 'tideport' }
  gateway = stack.use(
    await startGateway({
      ...provider,
      IDENTITY_PROVIDER_CLIENT_ID: 'console',
      IDENTITY_PROVIDER_SCOPES: 'openid,email',
      IDENTITY_PROVIDER_PARAMETERS: 'audience=tideport&resource=https%3A%2F%2Ffiles.example.com',
      IDENTITY_PROVIDER_DEVICE_FLOW: 'true',
      ...{ S3_API_URL: 'https://s3.example.com', S3_API_REGION: 'eu-west-1' },
    }),
  )
  const limits = { RATE_LIMIT_ANONYMOUS_PER_SECOND: '0.001', RATE_LIMIT_ANONYMOUS_BURST: '40' }
  limited = stack.use(await startGateway({ ...provider, ...limits, TRUSTED_PROXIES: '127.0.0.1' }))
})
afterAll(() => stack.disposeAsync())

const get = (path: string, init?: RequestInit) => request(gateway.url + path, init)
const addressesIn = (html: string) =>
  [...html.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, address]) => address as string)

it('serves the page and its files to anonymous clients, with no inline code and no other origins', async () => {
  const page = await get('/docs')
  expect([page.status, page.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8'])
  expect(page.body).not.toMatch(/<style|style=|<script(?![^>]* src=)| on\w+=/)
  const addresses = addressesIn(page.body).filter((address) => address !== 'data:,')
  expect(addresses.length).toBeGreaterThan(3)
  for (const address of addresses) {
    const { origin, pathname } = new URL(address, `${gateway.url}/docs`)
    const { status, headers } = await get(pathname)
    expect([origin, pathname, status]).toEqual([gateway.url, pathname, 200])
    expect(headers.get('content-type'), pathname).toMatch(
      /^(text\/css|text\/javascript|application\/json); charset=utf-8$/,
    )
  }
})

it('allows only its own files, and forbids framing, sniffing, and requests to other origins', async () => {
  for (const path of ['/docs', '/docs/swagger-ui.css', '/docs/swagger-ui-bundle.js']) {
    const { headers } = await get(path)
    const policy = headers.get('content-security-policy')
    expect(policy, path).toBe(
      "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; " +
        "worker-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none', " +
        'script-src *:*/docs/; style-src *:*/docs/',
    )
    expect(headers.get('x-content-type-options'), path).toBe('nosniff')
  }
})

it('is cached by browsers and revalidated, with 304 while it is unchanged, also through a compressing proxy', async () => {
  const { headers } = await get('/docs/swagger-ui-bundle.js', { method: 'HEAD' })
  const etag = headers.get('etag') as string
  expect(Number(headers.get('content-length'))).toBeGreaterThan(100_000)
  expect(headers.get('cache-control')).toBe('no-cache')
  for (const known of [etag, `W/${etag}`, `"other", ${etag}`]) {
    const { status, body } = await get('/docs/swagger-ui-bundle.js', { headers: { 'if-none-match': known } })
    expect([known, status, body]).toEqual([known, 304, ''])
  }
  expect((await get('/docs', { headers: { 'if-none-match': etag } })).status).toBe(200)
})

it('returns 405 for other methods and 404 for other paths', async () => {
  const post = await get('/docs', { method: 'POST' })
  expect([post.status, post.headers.get('allow')]).toEqual([405, 'GET, HEAD'])
  expect((await get('/docs/../package.json')).status).toBe(404)
  expect((await get('/docs/csp.json')).status).toBe(404)
  // Without a built console.
  expect((await get('/console')).status).toBe(404)
  expect((await get('/', { headers: { accept: 'text/html' } })).status).toBe(404)
})

it('counts as anonymous requests, and six simultaneous loads stay below the limit', async () => {
  const ask = async (path: string) => (await request(limited.url + path)).status
  const page = ['/docs', '/docs/swagger-ui.css', '/docs/page.css', '/docs/swagger-ui-bundle.js', '/docs/show-page.js']
  const statuses: number[] = []
  for (let load = 0; load < 7; load++) {
    for (const path of [...page, '/api/openapi.json']) statuses.push(await ask(path))
  }
  expect(statuses).toEqual([...Array(40).fill(200), 429, 429])
})

it('returns only the provider, the public client, and its scopes and parameters, to anonymous clients', async () => {
  const { status, body } = await get('/api/sign-in')
  expect(status).toBe(200)
  expect(body).toEqual({
    identityProvider: {
      issuer,
      clientId: 'console',
      scopes: ['openid', 'email'],
      parameters: { audience: 'tideport', resource: 'https://files.example.com' },
      deviceFlow: true,
    },
    publicUrl: null,
    passkeyOrigin: null,
    s3Api: { url: 'https://s3.example.com', region: 'eu-west-1' },
    development: false,
  })
})

it('returns no provider without a public client', async () => {
  const headers = { 'x-forwarded-for': '192.0.2.1' } // its requests count separately
  const { body } = await request(`${limited.url}/api/sign-in`, { headers })
  expect(body).toEqual({
    identityProvider: null,
    publicUrl: null,
    passkeyOrigin: null,
    s3Api: null,
    development: false,
  })
})

it('supports HEAD, and returns 405 for other methods', async () => {
  const asked = async (method: string) => (await get('/api/sign-in', { method })).status
  expect([await asked('HEAD'), await asked('POST')]).toEqual([200, 405])
})
