import { mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { request, startGateway } from '../bundle.ts'

const stack = new AsyncDisposableStack()
let dir: string
let gateway: Awaited<ReturnType<typeof startGateway>>

async function build(word: string): Promise<void> {
  await rm(join(dir, 'new'), { recursive: true, force: true })
  await mkdir(join(dir, 'new/assets'), { recursive: true })
  const script = `console.log(${JSON.stringify(word)})`
  await writeFile(join(dir, `new/assets/page-${word}.js`), script)
  await writeFile(join(dir, `new/assets/page-${word}.js.gz`), gzipSync(script))
  const page = `<!doctype html><html><head><script type="module" src="./assets/page-${word}.js"></script></head></html>`
  await writeFile(join(dir, 'new/index.html'), page)
  await rm(join(dir, 'built'), { recursive: true, force: true })
  await rename(join(dir, 'new'), join(dir, 'built'))
}

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'tideport-console-'))
  stack.defer(() => rm(dir, { recursive: true }))
  gateway = stack.use(
    await startGateway({
      CONSOLE_DIR: join(dir, 'built'),
      CONSOLE_CONNECT_ORIGINS: 'https://store.example:9000',
      IDENTITY_PROVIDER_ISSUER: 'https://login.example/realms/one',
      IDENTITY_PROVIDER_AUDIENCE: 'tideport',
      IDENTITY_PROVIDER_CLIENT_ID: '"><script>&amp;',
    }),
  )
})
afterAll(() => stack.disposeAsync())

const get = (path: string, init?: RequestInit) => request(gateway.url + path, init)
const policiesOf = (headers: Headers) =>
  headers
    .get('content-security-policy')
    ?.split(', ')
    .map((policy) => policy.split('; ')) ?? []
const baseOf = (html: string) => /<base href="([^"]*)">/.exec(html)?.[1]

it('returns 503 until it is built, and serves a new build immediately', async () => {
  expect((await get('/console')).status).toBe(503)
  for (const word of ['first', 'second']) {
    await build(word)
    const { status, body } = await get('/console')
    expect([status, body.includes(`page-${word}.js`)]).toEqual([200, true])
    expect((await get(`/console/assets/page-${word}.js`)).body).toContain(word)
  }
})

it('serves the same page at every path, which finds its files and the API below any prefix', async () => {
  await build('deep')
  const undecodable = ['/console/files/%E0%A4%A', '/console/%', '/console/a/%zz?x=%E0%A4%A']
  for (const path of ['/console', '/console/', '/console/a/b/', '/console/a//b?c=/d/e/', ...undecodable]) {
    const { status, body, headers } = await get(path)
    expect([status, headers.get('content-type')], path).toEqual([200, 'text/html; charset=utf-8'])
    // As a browser resolves it behind a proxy with a path prefix.
    const base = new URL(baseOf(body) ?? '', `https://files.example/tideport${path}`)
    expect(base.href, path).toBe('https://files.example/tideport/console/')
  }
  for (const path of [`/console${'/x'.repeat(100)}`, '/api/files/%E0%A4%A', '/console/assets/%E0%A4%A'])
    expect((await get(path)).status, path).toBe(404)
})

it('includes the sign-in settings in the page and preconnects to the identity provider', async () => {
  await build('ways')
  const { body } = await get('/console')
  const said = /<meta name="tideport-sign-in" content="([^"]*)">/.exec(body)?.[1] ?? ''
  const json = said.replace(/&#(\d+);/g, (_, code) => String.fromCharCode(Number(code)))
  expect(JSON.parse(json)).toEqual((await get('/api/sign-in')).body)
  expect(body).toContain('<link rel="preconnect" href="https://login.example" crossorigin>')
})

it('serves only immutable assets, cached permanently and compressed if the client accepts it', async () => {
  await build('kept')
  await get('/console')
  const plain = await get('/console/assets/page-kept.js', { headers: { 'accept-encoding': 'identity, gzip;q=0' } })
  const packed = await get('/console/assets/page-kept.js', { headers: { 'accept-encoding': 'br, gzip' } })
  expect([plain.headers.get('content-encoding'), packed.headers.get('content-encoding')]).toEqual([null, 'gzip'])
  expect(packed.body).toBe(plain.body)
  for (const { headers } of [plain, packed]) {
    expect(headers.get('cache-control')).toBe('public, max-age=31536000, immutable')
    expect(headers.get('vary')).toBe('accept-encoding')
    // As a browser resolves it: the console and all paths below, under any prefix.
    const scope = new URL(
      headers.get('service-worker-allowed') ?? '',
      'https://files.example/tideport/console/assets/a.js',
    )
    expect(scope.pathname).toBe('/tideport/console')
    expect(headers.get('content-type')).toBe('text/javascript; charset=utf-8')
  }
  for (const path of ['page-kept.js.gz', 'page-gone.js', '..%2findex.html', '%2e%2e/sources', '../../package.json']) {
    expect((await get(`/console/assets/${path}`)).status, path).not.toBe(500)
    expect((await get(`/console/assets/${path}`)).body, path).not.toContain('{"name"')
  }
  expect((await get('/console/assets/page-kept.js.gz')).status).toBe(404)
})

it('is cached by browsers and revalidated, with 304 while it is unchanged', async () => {
  await build('same')
  const etag = (await get('/console')).headers.get('etag') as string
  expect((await get('/console', { headers: { 'if-none-match': etag } })).status).toBe(304)
  await build('other')
  expect((await get('/console', { headers: { 'if-none-match': etag } })).status).toBe(200)
})

it('allows only its own files, object storage, and the identity provider', async () => {
  await build('strict')
  for (const path of ['/console', '/console/assets/page-strict.js']) {
    const { headers } = await get(path)
    const [policy = [], narrowed] = policiesOf(headers)
    expect(policy, path).toEqual(
      expect.arrayContaining([
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "connect-src 'self' https://store.example:9000 https://login.example",
        "frame-ancestors 'none'",
        "require-trusted-types-for 'script'",
        'trusted-types tideport-workers',
      ]),
    )
    expect(policy.join(), path).not.toMatch(/unsafe|\*/)
    expect(narrowed, path).toEqual([
      'script-src *:*/console/assets/',
      'style-src *:*/console/assets/',
      'font-src *:*/console/assets/',
      'worker-src *:*/console/assets/',
      'base-uri *:*/console/',
    ])
    expect(headers.get('x-content-type-options'), path).toBe('nosniff')
    expect(headers.get('referrer-policy'), path).toBe('no-referrer')
  }
})

it('allows its assets below the path prefix of a proxy', async () => {
  const env = { CONSOLE_DIR: join(dir, 'built'), PUBLIC_URL: 'https://files.example/tide;a,b/port/' }
  await using proxied = await startGateway(env)
  for (const [path, own] of [
    ['/console', '/console/assets/'],
    ['/docs', '/docs/'],
  ] as const) {
    const { headers } = await request(proxied.url + path)
    expect(policiesOf(headers)).toHaveLength(2)
    expect(policiesOf(headers)[1]).toContain(`script-src *:*${own} *:*/tide%3Ba%2Cb/port${own}`)
  }
})

it('redirects browsers from the root, below any prefix, and returns 404 to programs', async () => {
  const browser = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8'
  for (const method of ['GET', 'HEAD']) {
    const { status, headers } = await get('/', { method, headers: { accept: browser }, redirect: 'manual' })
    expect([method, status, headers.get('location'), headers.get('vary')]).toEqual([method, 302, 'console', 'accept'])
  }
  for (const accept of ['*/*', 'application/json']) {
    const { status, body } = await get('/', { headers: { accept } })
    expect([accept, status, body]).toEqual([accept, 404, { error: 'Not found', code: 'not_found' }])
  }
})
