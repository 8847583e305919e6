import type { Principal } from '@tideport/contracts/internal/principal'
import { postgresWaitHeader, postgresWaitMs } from '@tideport/contracts/internal/request-headers'
import { describe, expect, it } from 'vitest'
import { currentWaitBudget } from '../../src/context/request-context.ts'
import { createHttpServer } from '../../src/http/http-server.ts'
import { serve } from '../../src/http/route.ts'
import { AppError, unavailable } from '../../src/process/app-error.ts'
import { createLogger } from '../../src/telemetry/logger.ts'
import { createMetrics } from '../../src/telemetry/metrics.ts'
import { ACCOUNT_ID, boxUrl, json, readBox, setup, tokens } from '../http-bundle.ts'

describe('a response', () => {
  it('contains exactly the fields of the endpoint, and handlers get parsed input with defaults', async () => {
    const { call } = setup()
    expect(await call('GET', boxUrl)).toMatchObject({ status: 200, body: { boxId: ACCOUNT_ID, limit: 50 } })
    expect((await call('GET', `${boxUrl}?limit=7`)).body).toEqual({ boxId: ACCOUNT_ID, limit: 7 })
    expect((await call('GET', boxUrl)).text).not.toContain('hunter2')
    const payload = JSON.stringify({ name: 'a', size: { width: 1 }, unknown: true })
    expect(await call('POST', '/boxes', { headers: json, payload })).toMatchObject({ status: 201, body: { name: 'a' } })
  })

  it('has the request ID of the request, or a new one', async () => {
    const { call } = setup()
    const answer = await call('GET', boxUrl, { headers: { 'x-request-id': 'req-7' } })
    expect(answer.headers['x-request-id']).toBe('req-7')
    expect((await call('GET', boxUrl)).headers['x-request-id']).toMatch(/^[0-9a-f-]{36}$/)
  })

  it('to HEAD has no body, for JSON and for bytes', async () => {
    const { call } = setup()
    expect(await call('HEAD', boxUrl)).toMatchObject({ status: 200, text: '' })
    const head = await call('HEAD', '/bytes', { as: 'public' })
    expect(head).toMatchObject({ status: 200, text: '', headers: { 'content-length': '5' } })
    expect((await call('GET', '/bytes', { as: 'public' })).text).toBe('hello')
  })
})

describe('the time that a request may wait for Postgres', () => {
  it.each([
    ['the remaining time of the gateway', '250', 250],
    ['zero if the gateway has no time left', '0', 0],
    ['never more than the limit of a request', '999999', postgresWaitMs],
    ['the limit of a request without the header', undefined, postgresWaitMs],
    ['the limit of a request if the header is invalid', 'soon', postgresWaitMs],
  ])('is %s', async (_, header, leftMs) => {
    let seen: number | undefined
    const { call } = setup(() => {
      seen = currentWaitBudget()?.leftMs
    })
    await call('GET', boxUrl, { headers: header === undefined ? {} : { [postgresWaitHeader]: header } })
    expect(seen).toBe(leftMs)
  })
})

describe('access', () => {
  it.each([
    ['401', 'a missing token', null, { status: 401, body: { error: 'Not authenticated', code: 'unauthenticated' } }],
    ['503', 'a token that does not verify', 'forged', { status: 503, body: { code: 'unavailable' } }],
  ])('returns %s for %s before any other check', async (_status, _token, as, refusal) => {
    const { call } = setup()
    for (const url of ['/boxes/not-an-id', '/bytes', '/internal/check']) {
      const method = url === '/internal/check' ? 'POST' : 'GET'
      expect(await call(method, url, { as, headers: json })).toMatchObject(refusal)
    }
  })

  it('returns 403 with the scope that an account lacks', async () => {
    expect(await setup().call('POST', '/boxes', { as: 'reader', headers: json, payload: '{}' })).toMatchObject({
      status: 403,
      body: { code: 'insufficient_scope', details: { requiredScope: 'files:write' } },
    })
  })

  it.each([
    ['GET', boxUrl, 'reader', 200],
    ['GET', boxUrl, 'public', 401],
    ['GET', boxUrl, 'gateway', 401],
    ['GET', '/bytes', 'public', 200],
    ['GET', '/bytes', 'full', 200],
    ['GET', '/bytes', 'gateway', 401],
    ['POST', '/internal/check', 'gateway', 200],
    ['POST', '/internal/check', 'full', 401],
    ['POST', '/internal/check', 'public', 401],
  ] as const)('%s %s as %s → %i', async (method, url, as, status) => {
    expect((await setup().call(method, url, { as })).status).toBe(status)
  })
})

describe('validation of requests', () => {
  it('returns the same 404 for a malformed ID as for an unknown ID', async () => {
    const unknown = await setup(() => Promise.reject(new AppError('not_found', 'Not found'))).call('GET', boxUrl)
    for (const id of ['1', '..%2f..', '%00', 'a'.repeat(600), '%E0%A4%A']) {
      const answer = await setup().call('GET', `/boxes/${id}`)
      expect(answer.status).toBe(404)
      expect(answer.text).toBe(unknown.text)
    }
  })

  it('returns 404 for unknown paths with any body', async () => {
    const { call } = setup()
    expect(await call('GET', '/nowhere', { as: null })).toMatchObject({ status: 404, body: { code: 'not_found' } })
    const withBody = await call('POST', '/nowhere', { headers: { 'content-type': 'text/plain' }, payload: 'x' })
    expect(withBody.status).toBe(404)
  })

  it('returns 405 with the allowed methods', async () => {
    const { call } = setup()
    const answer = await call('DELETE', boxUrl)
    expect(answer).toMatchObject({ status: 405, headers: { allow: 'GET, HEAD' }, body: { code: 'method_not_allowed' } })
    expect(await call('PUT', '/boxes', { payload: 'x' })).toMatchObject({ status: 405, headers: { allow: 'POST' } })
  })

  it('returns 400 with the path of each fault in a body', async () => {
    const payload = JSON.stringify({ name: '', size: { width: 'wide' } })
    const { status, body } = await setup().call('POST', '/boxes', { headers: json, payload })
    expect(status).toBe(400)
    expect(body).toMatchObject({
      code: 'validation_failed',
      details: { issues: [{ path: 'name' }, { path: 'size.width' }] },
    })
  })

  const post = (payload: string | Buffer, type = 'application/json') =>
    ['POST', '/boxes', { headers: { 'content-type': type }, payload }] as const
  const query = (text: string) => ['GET', `${boxUrl}?${text}`, {}] as const

  it.each([
    [400, 'validation_failed', 'a limit that is too large', query('limit=1000')],
    [400, 'validation_failed', 'an incomplete character in a query', query('limit=1&x=a%C3')],
    [400, 'validation_failed', 'a surrogate in a query', query('limit=1&x=%ED%A0%80')],
    [400, 'validation_failed', 'truncated JSON', post('[1,')],
    [400, 'validation_failed', 'JSON with a __proto__ field', post('{"__proto__":{"a":1}}')],
    [400, 'validation_failed', 'text that is not UTF-8', post(Buffer.from('{"name":"caf\xe9"}', 'latin1'))],
    [400, 'validation_failed', 'no body', ['POST', '/boxes', { headers: json }]],
    [415, 'unsupported_media_type', 'text', post('{}', 'text/plain')],
    [415, 'unsupported_media_type', 'a form', post('{}', 'multipart/form-data; boundary=x')],
    [415, 'unsupported_media_type', 'an invalid type', post('{}', 'nonsense')],
    [415, 'unsupported_media_type', 'JSON in latin1', post('{}', 'application/json; a=b; CHARSET=latin1')],
    [413, 'too_large', 'a body above 64 KiB', post(JSON.stringify({ name: 'x'.repeat(64 * 1024) }))],
  ] as const)('returns %i %s for %s', async (status, code, _, [method, url, more]) => {
    expect(await setup().call(method, url, more)).toMatchObject({ status, body: { code } })
  })

  it.each(['100%25', '%', '%zz', 'gr%C3%BC%C3%9Fe+%F0%9F%97%82'])('accepts a query with %j', async (text) => {
    expect((await setup().call('GET', `${boxUrl}?limit=1&x=${text}`)).status).toBe(200)
  })

  it.each(['utf-8', 'UTF-8', '"utf-8"', 'utf8'])('accepts JSON with the charset %s', async (charset) => {
    const headers = { 'content-type': `application/json; charset=${charset}` }
    expect((await setup().call('POST', '/boxes', { headers, payload: '{' })).status).toBe(400)
  })

  it.each(['application/json', 'text/plain', 'nonsense'])(
    'accepts an empty body of type %s where no body is expected',
    async (type) => {
      const { call } = setup()
      const answer = await call('POST', `${boxUrl}/seal`, { headers: { 'content-type': type } })
      expect(answer).toMatchObject({ status: 200, body: { kind: 'account' } })
    },
  )
})

describe('a handler that fails', () => {
  it('returns the code, message, and details of an AppError', async () => {
    const error = new AppError('state_conflict', 'The box is sealed', { details: { status: 'sealed' } })
    expect(await setup(() => Promise.reject(error)).call('GET', boxUrl)).toMatchObject({
      status: 409,
      body: { error: 'The box is sealed', code: 'state_conflict', details: { status: 'sealed' } },
    })
  })

  it('returns an opaque 500 for any other error, and logs the error once', async () => {
    const { call, lines } = setup(() => Promise.reject(new TypeError('hunter2 is not a function')))
    expect(await call('GET', boxUrl)).toMatchObject({
      status: 500,
      text: '{"error":"Internal error","code":"internal"}',
    })
    expect(lines).toHaveLength(1)
    expect(lines[0]).toMatchObject({ level: 'error', status: 500, err: { type: 'TypeError' } })
  })

  it('returns 500 if its result does not match the schema', async () => {
    const broken = serve(readBox, async () => ({ boxId: 1 as unknown as string, limit: 1 }))
    const server = createHttpServer({
      log: createLogger({ service: 'test', level: 'silent' }),
      metrics: createMetrics('test'),
      signal: new AbortController().signal,
      verifyPrincipal: () => tokens.full as Principal,
      routes: [broken],
    })
    expect((await server.inject({ url: boxUrl, headers: { 'x-tideport-principal': 'x' } })).statusCode).toBe(500)
  })

  it.each([
    Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' }),
    Object.assign(new Error('terminating connection'), { code: '57P01' }),
    Object.assign(new Error('idle-in-transaction timeout'), { code: '25P03' }),
    Object.assign(new Error('deadlock detected'), { code: '40P01' }),
    Object.assign(new Error('connection failure'), { code: '08006' }),
    new Error('timeout exceeded when trying to connect'),
    unavailable('Storage is temporarily unavailable'),
  ])('returns 503 with Retry-After for: $message', async (error) => {
    const answer = await setup(() => Promise.reject(error)).call('GET', boxUrl)
    expect(answer).toMatchObject({ status: 503, body: { code: 'unavailable' } })
    expect(Number(answer.headers['retry-after'])).toBeGreaterThan(0)
  })
})

describe('after a request', () => {
  it('the server has written one log line, with the route instead of the path, and one measurement', async () => {
    const { call, lines, metrics } = setup()
    await call('GET', `${boxUrl}?limit=9`, { headers: { 'x-request-id': 'req-1' } })
    expect(lines).toHaveLength(1)
    expect(lines[0]).toMatchObject({
      msg: 'request served',
      requestId: 'req-1',
      method: 'GET',
      route: '/boxes/:boxId',
      status: 200,
      accountId: ACCOUNT_ID,
    })
    expect(JSON.stringify(lines[0])).not.toContain('limit=9')
    const { text } = await metrics.render()
    expect(text).toMatch(/http_server_request_duration_seconds_count\{.*http_route="\/boxes\/:boxId".*\} 1/)
  })
})
