import { once } from 'node:events'
import { type ClientRequest, type IncomingMessage, type ServerResponse, request as send } from 'node:http'
import { text } from 'node:stream/consumers'
import { startIdentityProvider } from '@tideport/testing/identity-provider'
import { waitFor } from '@tideport/testing/wait-for'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { request, requestInTime, startAuth, startGateway } from '../bundle.ts'
import { startUpstream } from '../start-upstream.ts'

const keys = '/api/auth/api-keys'
const id = '0198f2a0-0000-7000-8000-000000000001'
const feed = `/api/webhooks/${id}/feed?waitSeconds=20`
const content = `/api/vaults/${id}/content/cat.png`
const news = 'created after the revocation'
const stack = new AsyncDisposableStack()
let provider: Awaited<ReturnType<typeof startIdentityProvider>>
let auth: Awaited<ReturnType<typeof startAuth>>
/** Stands in for webhooks and files. Responds when a test releases the requests. */
let service: Awaited<ReturnType<typeof startUpstream>>
let held: ServerResponse[] = []
let gateways: Awaited<ReturnType<typeof startGateway>>[]
let owner: string

beforeAll(async () => {
  provider = stack.use(await startIdentityProvider())
  auth = stack.use(await startAuth(0, { REVOCATION_WAIT_SECONDS: '0.3' }))
  service = stack.use(await startUpstream())
  const env = { AUTH_URL: auth.url, FILES_URL: service.url, WEBHOOKS_URL: service.url }
  const { issuer, audience } = provider
  const trusted = { IDENTITY_PROVIDER_ISSUER: issuer, IDENTITY_PROVIDER_AUDIENCE: audience }
  gateways = await Promise.all([0, 1].map(async () => stack.use(await startGateway({ ...env, ...trusted }))))
  owner = await provider.issueToken({ subject: 'ann' })
})
afterAll(() => stack.disposeAsync())
afterEach(() => {
  service.seen.length = 0
})

const on = (index: number) => gateways[index]?.url ?? ''
async function createKey(input: object = {}, bearer = owner) {
  const { body } = await requestInTime(on(0) + keys, { method: 'POST', bearer, json: { name: 'k', ...input } })
  return { key: body.key as string, id: body.id as string }
}
const revoke = (keyId: string, bearer = owner, index = 0) =>
  request(`${on(index)}${keys}/${keyId}`, { method: 'DELETE', bearer })

/** Waits until `count` requests wait at the service. */
async function hold<T>(count: number, begin: () => readonly T[]): Promise<readonly [T, ...T[]]> {
  held = []
  service.answerWith((_request, response) => void held.push(response))
  const begun = begin()
  await waitFor(() => held.length === count)
  return begun as [T, ...T[]]
}
function release(): void {
  for (const response of held) response.end(news)
}

/** A request whose body the test sends, or whose response it reads, in pieces. */
function open(path: string, bearer: string, options: { method?: string; headers?: Record<string, string> } = {}) {
  const headers = { ...options.headers, authorization: `Bearer ${bearer}` }
  const outgoing = send(on(0) + path, { ...options, headers, agent: false })
  outgoing.on('error', () => {})
  outgoing.flushHeaders()
  return outgoing
}
async function answerTo(outgoing: ClientRequest) {
  const [response] = (await once(outgoing, 'response')) as [IncomingMessage]
  return { status: response.statusCode, body: JSON.parse(await text(response)) }
}

describe('a waiting request', () => {
  it('ends with 401 on every gateway, without data created after the revocation', async () => {
    const { key, id: keyId } = await createKey()
    const polls = await hold(4, () => [0, 1, 0, 1].map((index) => request(on(index) + feed, { bearer: key })))
    expect((await revoke(keyId)).status).toBe(200)
    release()
    for (const { status, body } of await Promise.all(polls)) {
      expect(status).toBe(401)
      expect(body).toMatchObject({ code: 'api_key_revoked' })
    }
  })

  it('ends automatically, also at the service', async () => {
    const { key, id: keyId } = await createKey()
    const [poll] = await hold(1, () => [request(on(0) + feed, { bearer: key })])
    const left = once(held[0] as ServerResponse, 'close')
    void revoke(keyId)
    expect((await poll).body.code).toBe('api_key_revoked')
    await left
  })

  it('continues when another key is revoked', async () => {
    const [mine, other] = [await createKey(), await createKey()]
    const [poll] = await hold(1, () => [request(on(0) + feed, { bearer: mine.key })])
    await revoke(other.id)
    release()
    expect(await poll).toMatchObject({ status: 200, body: news })
  })

  it('ends when its parent key is revoked, or its key is rotated or expires', async () => {
    const [parent, rotated, expiring] = [await createKey(), await createKey(), await createKey({ expiresInDays: 1 })]
    const child = await createKey({}, parent.key)
    const bearers = [child.key, rotated.key, expiring.key]
    const polls = await hold(3, () => bearers.map((bearer) => request(on(0) + feed, { bearer })))
    await auth.sql(`update api_key set expires_at = now() + interval '300 ms' where id = $1`, [expiring.id])
    const rotation = { method: 'POST', bearer: owner, json: { overlapSeconds: 0 } }
    await Promise.all([revoke(parent.id), request(`${on(0)}${keys}/${rotated.id}/rotate`, rotation)])
    const codes = (await Promise.all(polls)).map(({ body }) => body.code)
    expect(codes).toEqual(['api_key_revoked', 'api_key_expired', 'api_key_expired'])
  })

  it('ends when its login token expires', async () => {
    const nowSeconds = Math.floor(Date.now() / 1000)
    // With the allowed clock skew, it expires in seconds.
    const claims = { iss: provider.issuer, aud: provider.audience, sub: 'ann', iat: nowSeconds, exp: nowSeconds - 25 }
    const [poll] = await hold(1, () => [request(on(0) + feed, { bearer: provider.sign(claims) })])
    expect(await poll).toMatchObject({ status: 401, body: { code: 'unauthenticated' } })
  })

  it('gets no data from a gateway that was paused while its key was revoked', async () => {
    const { key, id: keyId } = await createKey()
    const [poll] = await hold(1, () => [request(on(1) + feed, { bearer: key })])
    gateways[1]?.signal('SIGSTOP')
    try {
      expect((await revoke(keyId)).status).toBe(200)
      release()
    } finally {
      gateways[1]?.signal('SIGCONT')
    }
    expect(await poll).toMatchObject({ status: 401, body: { code: 'api_key_revoked' } })
  })
})

describe('a request whose body is incomplete', () => {
  it('has no effect when its key is revoked', async () => {
    const { key, id: keyId } = await createKey()
    service.answerWith((_request, response) => response.end('{}'))
    const headers = { 'content-type': 'application/json', 'content-length': '14' }
    const slow = open('/api/vaults', key, { method: 'POST', headers })
    slow.write('{"name":')
    // The gateway has read its head when it responds to another request with the key.
    expect((await request(`${on(0)}/api/vaults`, { bearer: key })).status).toBe(200)
    // The response may arrive before the body is complete.
    const refused = answerTo(slow)
    await revoke(keyId)
    slow.end('"late"}')
    expect(await refused).toMatchObject({ status: 401, body: { code: 'api_key_revoked' } })
    expect(service.seen.filter(({ method }) => method === 'POST')).toEqual([])
  })

  it.each([
    ['long', { 'content-length': '1000000' }],
    ['short', { 'content-length': '1000' }],
    ['of unknown length', { 'transfer-encoding': 'chunked' }],
    ['with Expect', { 'content-length': '1000000', expect: '100-continue' }],
  ])('is cut off as a one-request upload (%s)', async (_name, headers: Record<string, string>) => {
    const { key, id: keyId } = await createKey()
    service.answerWith((_request, response) => response.end('{}'))
    const upload = open(content, key, { method: 'PUT', headers })
    if (headers.expect) await once(upload, 'continue')
    else upload.write('first bytes')
    expect((await request(`${on(0)}/api/vaults`, { bearer: key })).status).toBe(200)
    const refused = answerTo(upload)
    await revoke(keyId)
    expect(await refused).toMatchObject({ status: 401, body: { code: 'api_key_revoked' } })
    expect(service.seen.filter(({ method }) => method === 'PUT')).toEqual([])
  })
})

describe('a response that has begun', () => {
  async function begin(path: string, bearer: string) {
    const [outgoing] = await hold(1, () => [open(path, bearer)])
    const [stream] = held as [ServerResponse]
    stream.write('first ')
    const [response] = (await once(outgoing, 'response')) as [IncomingMessage]
    response.on('error', () => {})
    response.resume()
    return { stream, response }
  }

  it.each(['archive', 'manifest'])('is cut off as an %s and does not look complete', async (what) => {
    const { key, id: keyId } = await createKey()
    const path = what === 'archive' ? `/api/vaults/${id}/archive` : '/api/account/manifest'
    const { stream, response } = await begin(path, key)
    const left = once(stream, 'close')
    const cut = new Promise((resolve) => response.once('close', resolve))
    await Promise.all([cut, revoke(keyId)])
    expect(response.complete).toBe(false)
    await left
  })

  it('continues as the bytes of one file', async () => {
    const { key, id: keyId } = await createKey()
    const { stream, response } = await begin(content, key)
    const ended = once(response, 'end')
    expect((await revoke(keyId)).status).toBe(200)
    stream.end('last')
    await ended
    expect(response.complete).toBe(true)
  })

  it('does not begin after the revocation', async () => {
    const { key, id: keyId } = await createKey()
    const [download] = await hold(1, () => [request(on(0) + content, { bearer: key })])
    await revoke(keyId)
    release()
    expect(await download).toMatchObject({ status: 401, body: { code: 'api_key_revoked' } })
  })
})

it('a key that revokes itself gets the response, and its other requests end', async () => {
  const { key, id: keyId } = await createKey()
  const [poll] = await hold(1, () => [request(on(0) + feed, { bearer: key })])
  expect((await revoke(keyId, key)).status).toBe(200)
  expect((await poll).body.code).toBe('api_key_revoked')
})

it('waiting requests get 503 while auth is unavailable, and their response after auth recovers', async () => {
  const { key } = await createKey()
  const poll = (waitSeconds: number) => request(`${on(0)}${feed}&limit=${waitSeconds}`, { bearer: key })
  const [early, late] = await hold(2, () => [poll(1), poll(2)])
  const [first, second] = service.seen.at(-1)?.url.endsWith('2') ? held : held.toReversed()
  await auth.stop()
  const away = performance.now()
  await waitFor(() => performance.now() - away > 1000)
  first?.end(news)
  expect(await early).toMatchObject({ status: 503, body: { code: 'unavailable' } })
  await auth.restart()
  second?.end(news)
  expect(await late).toMatchObject({ status: 200, body: news })
})
