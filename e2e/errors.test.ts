import { expect, test } from 'vitest'
import { createVault } from './support/account.ts'
import { fillPath, guardedOperations, operations } from './support/operations.ts'
import { rawRequest } from './support/raw-request.ts'
import type { ErrorBody } from './support/resources.ts'
import { freshAccount, sharedStack } from './support/shared-stack.ts'

const gateway = () => sharedStack().gatewayUrls[0] as string
const takesBody = guardedOperations.filter(
  ({ method, path }) => /POST|PATCH/.test(method) && !/confirm|test$|\/content\//.test(path),
)

/** A request with this body and content type, as somebody known. */
function send(method: string, target: string, body: string | Buffer, type?: string) {
  const headers = { 'X-Dev-User-Id': sharedStack().firstUserId, ...(type ? { 'Content-Type': type } : {}) }
  return rawRequest(gateway(), { method, target, headers, body })
}

const errorOf = ({ status, body }: Awaited<ReturnType<typeof rawRequest>>) => [status, JSON.parse(String(body)).code]

test('every error is JSON with error, a sentence, and code', async () => {
  const client = freshAccount()
  const answers = [
    await client.get<ErrorBody>('/api/nothing'),
    await client.get<ErrorBody>(`/api/files/${crypto.randomUUID()}`),
    await client.post<ErrorBody>('/api/vaults', {}),
    await client.call<ErrorBody>('PUT', '/api/vaults'),
    await client.get<ErrorBody>('/api/public/files/x'),
  ]
  for (const { status, headers, body } of answers) {
    expect(headers.get('content-type'), String(status)).toBe('application/json; charset=utf-8')
    expect(body).toMatchObject({ error: expect.stringMatching(/^[A-Z].+/), code: expect.stringMatching(/^[a-z_]+$/) })
  }
})

test('an unknown path is 404 for every method', async () => {
  for (const path of ['/', '/api', '/api/', '/api/vault', '/api/v1/files', '/internal/accounts/find', '/metrics']) {
    for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']) {
      expect(errorOf(await rawRequest(gateway(), { method, target: path })), `${method} ${path}`).toEqual([
        404,
        'not_found',
      ])
    }
  }
})

test('a known path with another method is 405 and names the ones it has', async () => {
  const methodsOf = Map.groupBy(operations, ({ path }) => path.replace(/\{\w+\}/g, '{}'))
  for (const [path, known] of methodsOf) {
    const methods = known.map(({ method }) => method)
    for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'].filter((other) => !methods.includes(other))) {
      const answer = await rawRequest(gateway(), { method, target: fillPath(known[0] as (typeof known)[number]) })
      expect(errorOf(answer), `${method} ${path}`).toEqual([405, 'method_not_allowed'])
      const allow = answer.headers.find(([name]) => name === 'allow')?.[1] ?? ''
      for (const allowed of methods) expect(allow.split(', '), path).toContain(allowed)
    }
  }
})

test('a body that is not JSON is 415 by its type and 400 by its content, on every route that takes one', async () => {
  for (const operation of takesBody) {
    const path = fillPath(operation)
    for (const type of [
      'text/plain',
      'application/x-www-form-urlencoded',
      'multipart/form-data; boundary=x',
      'application/jsonp',
    ]) {
      const answer = await send(operation.method, path, '{}', type)
      expect(errorOf(answer), `${operation.id} with ${type}`).toEqual([415, 'unsupported_media_type'])
    }
    for (const body of ['{', '{"name":}', 'nonsense', '\u0000', '{"a":1}{"b":2}', '[]', '"text"', 'null', '7']) {
      const answer = await send(operation.method, path, body, 'application/json')
      expect([400, 404], `${operation.id} with ${body}`).toContain(answer.status)
    }
  }
})

test('a body of more than 64 KiB is 413', async () => {
  for (const operation of takesBody) {
    const body = JSON.stringify({ name: 'x'.repeat(70_000) })
    expect(errorOf(await send(operation.method, fillPath(operation), body, 'application/json'))).toEqual([
      413,
      'too_large',
    ])
  }
})

test('odd JSON is taken or refused as a whole, never a failure of the service', async () => {
  const client = freshAccount()
  const bodies = [
    '{"name":"a","visibility":"public","__proto__":{"admin":true}}',
    '{"name":"a","visibility":"public","constructor":{"prototype":{}}}',
    '{"name":"a","visibility":"public","name":"b"}',
    `{"name":"a","visibility":"public","more":${'['.repeat(5000)}${']'.repeat(5000)}}`,
    '{"name":"\\ud800","visibility":"public"}',
    '{"name":"\\u0000","visibility":"public"}',
    '{"name":1e400,"visibility":"public"}',
    '\ufeff{"name":"a","visibility":"public"}',
  ]
  for (const body of bodies) {
    const headers = { ...client.identity, 'Content-Type': 'application/json' }
    const answer = await rawRequest(gateway(), { method: 'POST', target: '/api/vaults', headers, body })
    expect([201, 400], body.slice(0, 80)).toContain(answer.status)
  }
})

test('unknown fields of a request are ignored', async () => {
  const client = freshAccount()
  const { status, body } = await client.post<object>('/api/vaults', {
    name: 'a',
    visibility: 'public',
    accountId: 'mine',
    colour: 'red',
  })
  expect(status).toBe(201)
  expect(body).not.toHaveProperty('colour')
  expect(body).not.toMatchObject({ accountId: 'mine' })
})

test('every answer carries X-Request-Id: the one that was sent, or a new one', async () => {
  const client = freshAccount()
  await createVault(client, 'public')
  const sent = `e2e-${crypto.randomUUID()}`
  for (const path of ['/api/vaults', '/api/nothing', '/api/public/files/x', '/api/openapi.json']) {
    expect((await client.get(path, { 'X-Request-Id': sent })).headers.get('x-request-id'), path).toBe(sent)
    const first = (await client.get(path)).headers.get('x-request-id')
    const second = (await client.get(path)).headers.get('x-request-id')
    expect(first, path).toBeTruthy()
    expect(second, path).not.toBe(first)
  }
})

test('tokens of every odd form are 401 with one uniform body', async () => {
  const tokens = [
    '',
    'Bearer',
    'Bearer tdp_',
    `Bearer tdp_${'A'.repeat(49)}`,
    'Basic dXNlcjpwYXNz',
    'tdp_abc',
    'Bearer a b',
    'Bearer 🗝',
  ]
  const answers = []
  for (const token of [...tokens, `Bearer ${'x'.repeat(10_000)}`, `Bearer tdp_${'é'.repeat(49)}`]) {
    const Authorization = Buffer.from(token, 'utf8').toString('latin1')
    answers.push(await rawRequest(gateway(), { target: '/api/account', headers: { Authorization } }))
  }
  answers.push(
    await rawRequest(gateway(), { target: '/api/account', headers: { Authorization: ['Bearer a', 'Bearer b'] } }),
  )
  for (const { status, body } of answers) expect([status, String(body)]).toEqual([401, String(answers[0]?.body)])
})
