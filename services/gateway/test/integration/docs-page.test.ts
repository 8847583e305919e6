import { afterAll, beforeAll, expect, it } from 'vitest'
import { request, startGateway } from '../bundle.ts'

const stack = new AsyncDisposableStack()
let gateway: Awaited<ReturnType<typeof startGateway>>

// Outside development, with no service behind it: the page needs neither a login nor anybody else.
beforeAll(async () => {
  gateway = stack.use(await startGateway({}))
})
afterAll(() => stack.disposeAsync())

const get = (path: string, init?: RequestInit) => request(gateway.url + path, init)
const addressesIn = (html: string) =>
  [...html.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, address]) => address as string)

it('serves the page and all it names to anyone, none of it inline or from elsewhere', async () => {
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

it('forbids everything but its own files, framing, sniffing, and sending anything elsewhere', async () => {
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

it('is kept by browsers and asked for anew: 304 while it is the same, also through a proxy that compresses', async () => {
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

it('answers other methods 405 and other paths 404, as everywhere', async () => {
  const post = await get('/docs', { method: 'POST' })
  expect([post.status, post.headers.get('allow')]).toEqual([405, 'GET, HEAD'])
  expect((await get('/docs/../package.json')).status).toBe(404)
  expect((await get('/docs/csp.json')).status).toBe(404)
})

it('counts as anonymous requests do, and six loads at once stay below the limit', async () => {
  await using limited = await startGateway({
    RATE_LIMIT_ANONYMOUS_PER_SECOND: '0.001',
    RATE_LIMIT_ANONYMOUS_BURST: '40',
  })
  const ask = async (path: string) => (await request(limited.url + path)).status
  const page = ['/docs', '/docs/swagger-ui.css', '/docs/page.css', '/docs/swagger-ui-bundle.js', '/docs/show-page.js']
  const statuses: number[] = []
  for (let load = 0; load < 7; load++) {
    for (const path of [...page, '/api/openapi.json']) statuses.push(await ask(path))
  }
  expect(statuses).toEqual([...Array(40).fill(200), 429, 429])
})
