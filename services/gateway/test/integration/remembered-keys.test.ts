import type { IncomingMessage, ServerResponse } from 'node:http'
import { formatApiKey } from '@tideport/contracts/public/api-key-format'
import { waitFor } from '@tideport/testing/wait-for'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { request, startGateway } from '../bundle.ts'
import { startUpstream } from '../start-upstream.ts'

const USABLE_MS = 5000
const stack = new AsyncDisposableStack()
let auth: Awaited<ReturnType<typeof startUpstream>>
let env: Record<string, string>
let gateway: Awaited<ReturnType<typeof startGateway>>
/** Caches keys for less time than auth allows, and limits each account to three requests. */
let brief: typeof gateway

beforeAll(async () => {
  auth = stack.use(await startUpstream())
  const files = stack.use(await startUpstream())
  env = { AUTH_URL: auth.url, FILES_URL: files.url, KEY_ANSWER_SECONDS: '5' }
  gateway = stack.use(await startGateway({ ...env, TRUSTED_PROXIES: '127.0.0.1' }))
  const limits = { RATE_LIMIT_PER_SECOND: '0.01', RATE_LIMIT_BURST: '3' }
  brief = stack.use(await startGateway({ ...env, KEY_ANSWER_SECONDS: '0.8', ...limits }))
})
afterAll(() => stack.disposeAsync())

const newKey = () => formatApiKey(crypto.getRandomValues(new Uint8Array(32)))
const accountId = crypto.randomUUID()
const good = (usableMs?: number, account = accountId) =>
  JSON.stringify({ kind: 'account', accountId: account, method: 'api_key', scopes: null, usableMs })
const say = (answer: string) => (_request: IncomingMessage, response: ServerResponse) => void response.end(answer)
const refuse = (_request: unknown, response: ServerResponse) =>
  void response.writeHead(401).end(JSON.stringify({ error: 'The API key has been revoked', code: 'api_key_revoked' }))

const ask = (bearer: string, { url } = gateway) => request(`${url}/api/vaults`, { bearer })

/** The statuses of two consecutive requests, and the number of lookups. */
async function twice(bearer: string, door = gateway) {
  const before = auth.seen.length
  const first = await ask(bearer, door)
  const second = await ask(bearer, door)
  return { statuses: [first.status, second.status], asked: auth.seen.length - before }
}

it('caches the lookup of each key separately', async () => {
  auth.answerWith(say(good(USABLE_MS)))
  const bearer = newKey()
  expect(await twice(bearer)).toEqual({ statuses: [200, 200], asked: 1 })
  expect(await twice(bearer)).toEqual({ statuses: [200, 200], asked: 0 })
  expect(await twice(newKey())).toEqual({ statuses: [200, 200], asked: 1 })
  const metrics = await gateway.metrics()
  for (const source of ['asked', 'remembered'])
    expect(metrics).toMatch(new RegExp(`tideport_key_answers_total\\{source="${source}"[^}]*\\} [1-9]`))
})

it('caches neither rejections nor responses that auth does not allow to be cached', async () => {
  for (const usableMs of [undefined, 0]) {
    auth.answerWith(say(good(usableMs)))
    expect(await twice(newKey())).toEqual({ statuses: [200, 200], asked: 2 })
  }
  auth.answerWith(refuse)
  expect(await twice(newKey())).toEqual({ statuses: [401, 401], asked: 2 })
})

it('counts the cache time from before the lookup, not from its response', async () => {
  const bearer = newKey()
  const held: ServerResponse[] = []
  auth.answerWith((_request, response) => void held.push(response))
  const slow = ask(bearer)
  await waitFor(() => held.length === 1)
  const arrivedAt = performance.now()
  await waitFor(() => performance.now() - arrivedAt > 300)
  auth.answerWith(say(good(300)))
  held[0]?.end(good(300))
  expect((await slow).status).toBe(200)
  auth.answerWith(refuse)
  expect((await ask(bearer)).status).toBe(401)
})

it('uses no expired cache entry after the process was paused', async () => {
  const bearer = newKey()
  auth.answerWith(say(good(USABLE_MS)))
  const askedAt = performance.now()
  expect(await twice(bearer)).toMatchObject({ statuses: [200, 200] })
  gateway.signal('SIGSTOP')
  auth.answerWith(refuse)
  // Arrives while the process is paused. The process cannot tell when it arrived.
  const next = ask(bearer)
  await waitFor(() => performance.now() - askedAt > USABLE_MS + 100)
  gateway.signal('SIGCONT')
  expect((await next).status).toBe(401)
})

it('can look up every time, or cache for less time than auth allows', async () => {
  await using asking = await startGateway({ ...env, KEY_ANSWER_SECONDS: '0' })
  auth.answerWith(say(good(USABLE_MS)))
  expect(await twice(newKey(), asking)).toEqual({ statuses: [200, 200], asked: 2 })
  const bearer = newKey()
  await ask(bearer, brief)
  const answeredAt = performance.now()
  await waitFor(() => performance.now() - answeredAt > 1000)
  auth.answerWith(refuse)
  expect((await ask(bearer, brief)).status).toBe(401)
})

it('counts each request against its account, with or without a lookup', async () => {
  auth.answerWith(say(good(USABLE_MS, crypto.randomUUID())))
  const bearer = newKey()
  const statuses = []
  for (let i = 0; i < 5; i++) statuses.push((await ask(bearer, brief)).status)
  expect(statuses).toEqual([200, 200, 200, 429, 429])
})

it('accepts a key only from its own addresses, also from the cache', async () => {
  const limited = (addresses: string[]) =>
    say(JSON.stringify({ kind: 'account', accountId, method: 'api_key', scopes: null, usableMs: USABLE_MS, addresses }))
  auth.answerWith(limited(['192.0.2.0/24', '2001:db8::7']))
  const bearer = newKey()
  const from = (address: string) =>
    request(`${gateway.url}/api/vaults`, { bearer, headers: { 'x-forwarded-for': address } })
  for (const address of ['192.0.2.9', '::ffff:192.0.2.9', '2001:db8::7']) expect((await from(address)).status).toBe(200)
  for (const address of ['192.0.3.9', '2001:db8::8', '127.0.0.1', 'unknown']) {
    const body = { code: 'outside_key_limits', details: { limit: 'addresses' } }
    expect(await from(address), address).toMatchObject({ status: 403, body })
  }
  expect((await from('192.0.2.9')).status).toBe(200)
})

/** A key that this gateway knows, so that its requests do not queue for a first lookup. */
async function knownKey(): Promise<string> {
  const bearer = newKey()
  auth.answerWith(say(good()))
  expect((await ask(bearer)).status).toBe(200)
  return bearer
}

it('never uses a lookup that was sent before the request arrived (spec §5.5)', async () => {
  const bearer = await knownKey()
  const held: ServerResponse[] = []
  auth.answerWith((_request, response) => void held.push(response))
  const early = ask(bearer)
  await waitFor(() => held.length === 1)
  // From here on, the key is revoked, but the lookup in progress does not show this.
  const late = Array.from({ length: 5 }, () => ask(bearer))
  await waitFor(() => held.length > 1)
  auth.answerWith(refuse)
  held[0]?.end(good())
  for (const response of held.slice(1)) refuse(null, response)
  expect((await early).status).toBe(200)
  for (const { status, body } of await Promise.all(late)) expect([status, body.code]).toEqual([401, 'api_key_revoked'])
})

it('sends far fewer lookups than simultaneous requests with one key', async () => {
  const bearer = await knownKey()
  const before = auth.seen.length
  const answers = await Promise.all(Array.from({ length: 200 }, () => ask(bearer)))
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]))
  expect(auth.seen.length - before).toBeLessThan(150)
})
