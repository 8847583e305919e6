import { connect } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { nowhere, principalKeys, request, startAuth, startGateway } from '../bundle.ts'
import { spawnService } from '../start-service.ts'
import { startUpstream } from '../start-upstream.ts'

const keys = '/api/auth/api-keys'
const stack = new AsyncDisposableStack()
let auth: Awaited<ReturnType<typeof startAuth>>
let files: Awaited<ReturnType<typeof startUpstream>>
let gateway: Awaited<ReturnType<typeof startGateway>>
/** Has configured host names, origins, and an operator. */
let known: typeof gateway
/** Has an operator, outside development mode. */
let strict: typeof gateway

beforeAll(async () => {
  auth = stack.use(await startAuth())
  files = stack.use(await startUpstream())
  const env = { AUTH_URL: auth.url, FILES_URL: files.url, SERVICE_ENV: 'development' }
  const names = { DEVELOPMENT_HOSTS: 'box, tideport.test', PUBLIC_URL: 'https://files.example/' }
  const operator = { DEVELOPMENT_OPERATOR: 'ops' }
  const network = { DEVELOPMENT_ALLOW_NETWORK: 'true', CORS_ORIGINS: 'https://app.test' }
  const start = async (more = {}) => stack.use(await startGateway({ ...env, ...more }))
  gateway = await start()
  known = await start({ ...names, ...network, ...operator })
  strict = await start({ ...operator, SERVICE_ENV: 'Development' })
})
afterAll(() => stack.disposeAsync())

const call = (headers: Record<string, string>, json?: object) =>
  request(gateway.url + keys, json ? { method: 'POST', headers, json } : { headers })
/** The account whose key a request with these headers creates. */
async function whoIs(headers: Record<string, string>): Promise<string> {
  const { status, body } = await call(headers, { name: 'k' })
  expect(status).toBe(201)
  const [row] = await auth.sql<{ account_id: string }>('select account_id from api_key where id = $1', [body.id])
  return row?.account_id ?? ''
}

describe('development mode (spec §5)', () => {
  it('returns 401 in an empty database, which has no first user', async () => {
    expect(await call({})).toMatchObject({ status: 401, body: { code: 'unauthenticated' } })
  })

  it('rejects an unknown user ID without creating an account', async () => {
    const before = await auth.sql('select id from account')
    for (const id of ['0198f2a0-0000-7000-8000-000000000001', 'nonsense', '', '%00']) {
      expect(await call({ 'X-Dev-User-Id': id })).toMatchObject({ status: 401, body: { code: 'unauthenticated' } })
      expect((await call({ 'X-Dev-User-Id': id, 'X-Dev-Provider-Id': 'carl' })).status).toBe(401)
    }
    expect(await auth.sql('select id from account')).toEqual(before)
  })

  it('uses the first user, by creation time and then ID, without either header', async () => {
    const ann = await whoIs({ 'X-Dev-Provider-Id': 'ann' })
    const bob = await whoIs({ 'X-Dev-Provider-Id': 'bob' })
    expect(await whoIs({})).toBe(ann)
    await auth.sql(`update account set created_at = '2020-01-01Z' where subject = 'bob'`)
    expect(await whoIs({})).toBe(bob)
  })

  it('logs a prominent warning', () => {
    expect(gateway.printed()).toMatch(/"level":"warn".*DEVELOPMENT MODE IS ON/)
  })

  it('reports to every client that it is on', async () => {
    const { body } = await request(`${gateway.url}/api/sign-in`)
    expect(body).toEqual({
      identityProvider: null,
      development: true,
      publicUrl: null,
      passkeyOrigin: null,
      s3Api: null,
    })
  })
})

/** Sends this request unchanged and returns the status line and body. */
async function send(port: number, request: string): Promise<[number, string]> {
  const socket = connect(port, '127.0.0.1').on('error', () => {})
  socket.write(request.replaceAll('\n', '\r\n'))
  const text = (await socket.toArray()).join('')
  return [Number(text.split(' ')[1]), text]
}
const get = (host: string, target: string = keys) => `GET ${target} HTTP/1.1\nHost: ${host}\nConnection: close\n\n`

describe('a web page that attacks the first user', () => {
  const own = [
    'localhost',
    'LOCALHOST:8080',
    'localhost.',
    'app.localhost:1',
    '127.0.0.1',
    '127.8.9.10:80',
    '[::1]:8080',
  ]

  it('cannot reach the gateway under an unknown host name (DNS rebinding)', async () => {
    for (const host of own) expect([host, (await send(gateway.port, get(host)))[0]]).toEqual([host, 200])
    const foreign = [
      'evil.test',
      'evil.test:8080',
      'localhost.evil.test',
      '127.0.0.1.evil.test',
      'xlocalhost',
      '10.0.0.1',
    ]
    for (const host of [...foreign, '', '[2001:db8::1]', 'evil.test@localhost', '0.0.0.0', 'localhost,evil.test']) {
      for (const target of [keys, '/api/nothing', '/docs', '/ready', `http://localhost${keys}`]) {
        const [status, text] = await send(gateway.port, get(host, target))
        expect([host, target, status]).toEqual([host, target, 421])
        expect(text).toContain('"code":"misdirected_request"')
      }
    }
    expect((await send(gateway.port, get('localhost', `http://evil.test${keys}`)))[0]).toBe(421)
    expect((await send(gateway.port, `GET ${keys} HTTP/1.0\n\n`))[0]).toBe(421)
  })

  it('reaches the gateway under configured names and, on a network, under any address', async () => {
    for (const host of ['box:8080', 'Tideport.test', 'files.example:7', '192.0.2.7:8080', '[2001:db8::1]']) {
      expect([host, (await send(known.port, get(host)))[0]]).toEqual([host, 200])
    }
    expect((await send(known.port, get('evil.test')))[0]).toBe(421)
  })

  it('can make a browser send requests as a given user, but not as the first user', async () => {
    const ask = (headers: Record<string, string>) =>
      request(known.url + keys, { method: 'POST', json: { name: 'k' }, headers })
    const foreign = [
      'https://evil.test',
      'null',
      'http://localhost:1',
      'http://127.0.0.1',
      'https://app.test.evil.test',
    ]
    for (const origin of foreign) {
      expect(await ask({ origin })).toMatchObject({ status: 403, body: { code: 'foreign_origin' } })
    }
    expect((await ask({ 'sec-fetch-site': 'cross-site' })).status).toBe(403)
    for (const origin of ['https://app.test', known.url]) expect((await ask({ origin })).status).toBe(201)
    const { body } = await ask({ 'sec-fetch-site': 'same-origin' })
    const bearer = { origin: 'https://evil.test', Authorization: `Bearer ${body.key}` }
    expect((await ask(bearer)).status).toBe(201)
  })
})

describe('any other spelling of development', () => {
  // The unit tests of the settings cover other values.
  it('ignores the headers with SERVICE_ENV=Development (A5)', async () => {
    const ann = await whoIs({ 'X-Dev-Provider-Id': 'ann' })
    const matrix: Record<string, string>[] = [{}, { 'X-Dev-User-Id': ann }, { 'X-Dev-Provider-Id': 'ann' }]
    for (const headers of [...matrix, Object.assign({}, ...matrix)]) {
      const { status, body } = await request(strict.url + keys, { headers })
      expect([status, body.code]).toEqual([401, 'unauthenticated'])
    }
  })
})

describe('operator endpoints', () => {
  const overview = '/api/operator/overview'

  it('return 404 to accounts, and 401 to others, without configured operators', async () => {
    const missing = await request(`${gateway.url}/api/nothing`)
    for (const headers of [{}, { 'X-Dev-Provider-Id': 'ops' }]) {
      for (const method of ['GET', 'POST', 'DELETE']) {
        const answer = await request(gateway.url + overview, { method, headers })
        expect(answer).toMatchObject({ status: 404, body: missing.body })
      }
    }
    const headers = { authorization: 'Bearer nonsense' }
    expect((await request(gateway.url + overview, { headers })).status).toBe(401)
    expect(files.seen.filter(({ url }) => url === overview)).toEqual([])
  })

  it('serve only the operator and return the 404 of an unknown path to others, without a request to a service', async () => {
    const ops = { 'X-Dev-Provider-Id': 'ops' }
    expect((await request(known.url + overview, { headers: ops })).status).toBe(200)
    const asked = files.seen.length
    const missing = await request(`${known.url}/api/nothing`)
    const made = { method: 'POST', headers: ops, json: { name: 'k' } }
    const { body: key } = await request(`${known.url}/api/auth/api-keys`, made)
    const others: Record<string, string>[] = [
      {},
      { 'X-Dev-Provider-Id': 'ops2' },
      { 'X-Dev-Provider-Id': 'OPS' },
      { authorization: `Bearer ${key.key}` },
      { authorization: `Bearer ${key.key}`, ...ops },
    ]
    for (const headers of others) {
      for (const method of ['GET', 'PATCH']) {
        const answer = await request(known.url + overview, { method, headers })
        expect(answer, JSON.stringify(headers)).toMatchObject({ status: 404, body: missing.body })
      }
    }
    expect(files.seen.length).toBe(asked)
  })

  it('ignore development headers outside development mode', async () => {
    expect((await request(strict.url + overview, { headers: { 'X-Dev-Provider-Id': 'ops' } })).status).toBe(401)
  })

  it('serve a session of the owner, and no key that it creates', async () => {
    const token = crypto.randomUUID()
    await auth.sql(
      `insert into set_up_token (digest, expires_at) values (sha256($1::text::bytea), now() + interval '1 hour')
       on conflict (singleton) do update set digest = excluded.digest, expires_at = excluded.expires_at`,
      [token],
    )
    const done = await request(`${strict.url}/api/set-up`, { method: 'POST', json: { token, passkey: null } })
    const owner = { authorization: `Bearer ${done.body.session.key}` }
    expect((await request(strict.url + overview, { headers: owner })).status).toBe(200)
    const made = { method: 'POST', headers: owner, json: { name: 'k' } }
    const { body: key } = await request(strict.url + keys, made)
    const missing = await request(`${strict.url}/api/nothing`)
    const byKey = await request(strict.url + overview, { headers: { authorization: `Bearer ${key.key}` } })
    expect(byKey).toMatchObject({ status: 404, body: missing.body })
  })
})

it('a gateway in development mode does not start in production or on a reachable address', async () => {
  await using refused = spawnService('gateway', {
    AUTH_URL: nowhere,
    FILES_URL: nowhere,
    WEBHOOKS_URL: nowhere,
    IDENTITY_TOKEN_PRIVATE_KEY: principalKeys.privateKey,
    SERVICE_ENV: 'development',
    NODE_ENV: 'production',
    HOST: '0.0.0.0',
  })
  expect(await refused.ended).toEqual({ code: 1, signal: null })
  expect(refused.printed()).toMatch(/development mode cannot start while NODE_ENV/)
  expect(refused.printed()).toMatch(/development mode needs a loopback address/)
  expect(refused.printed()).not.toMatch(/listening/)
})
