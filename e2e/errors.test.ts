import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import { createApiClient } from './support/api-client.ts'
import { fillPath, guardedOperations, isOfOwner } from './support/operations.ts'
import type { ErrorBody } from './support/resources.ts'
import { freshAccount, sharedStack } from './support/shared-stack.ts'

const gateway = () => sharedStack().gatewayUrls[0] as string
const takesBody = guardedOperations.filter(
  ({ method, path }) => /POST|PATCH/.test(method) && !/confirm|test$|\/content\//.test(path),
)

/** An authenticated request with this body and content type. */
function send(method: string, target: string, body: string, type: string) {
  const headers = { 'X-Dev-User-Id': sharedStack().firstUserId, 'Content-Type': type }
  return rawRequest(gateway(), { method, target, headers, body })
}

const errorOf = ({ status, body }: Awaited<ReturnType<typeof rawRequest>>) => [status, JSON.parse(String(body)).code]

test('every error is JSON with a message and a code', async () => {
  const sent = `e2e-${crypto.randomUUID()}`
  const client = createApiClient(gateway(), { ...freshAccount().identity, 'X-Request-Id': sent })
  const answers = [
    await client.get<ErrorBody>('/api/nothing'),
    await client.get<ErrorBody>(`/api/files/${crypto.randomUUID()}`),
    await client.post<ErrorBody>('/api/vaults', {}),
    await client.call<ErrorBody>('PUT', '/api/vaults'),
    await client.get<ErrorBody>('/api/public/files/x'),
  ]
  for (const { status, headers, body } of answers) {
    expect(headers.get('content-type'), String(status)).toBe('application/json; charset=utf-8')
    expect(headers.get('x-request-id'), String(status)).toBe(sent)
    expect(body).toMatchObject({ error: expect.stringMatching(/^[A-Z].+/), code: expect.stringMatching(/^[a-z_]+$/) })
  }
  expect((await freshAccount().get('/api/nothing')).headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/)
})

test('returns 404 for an unknown path with every method', async () => {
  for (const target of ['/', '/api', '/api/', '/api/vault', '/api/v1/files', '/internal/accounts/find', '/metrics'])
    for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])
      expect(errorOf(await rawRequest(gateway(), { method, target })), `${method} ${target}`).toEqual([
        404,
        'not_found',
      ])
})

test('every route with a body returns 415 for another type, 400 for malformed JSON, and 413 above 64 KiB', async () => {
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
      expect(isOfOwner(operation) ? [400, 403] : [400, 404], `${operation.id} with ${body}`).toContain(answer.status)
    }
    const large = await send(operation.method, path, JSON.stringify({ name: 'x'.repeat(70_000) }), 'application/json')
    expect(errorOf(large), operation.id).toEqual([413, 'too_large'])
  }
})

test('unusual JSON is accepted or rejected completely and never causes a 5xx', async () => {
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

test('ignores unknown fields of a request', async () => {
  const fields = { name: 'a', visibility: 'public', accountId: 'mine', colour: 'red' }
  const { status, body } = await freshAccount().post<object>('/api/vaults', fields)
  expect([status, Object.keys(body).includes('colour')]).toEqual([201, false])
  expect(body).not.toMatchObject({ accountId: 'mine' })
})

type RawAnswer = { status: number; headers: [string, string][]; body: Buffer }

/** A request that `fetch` would normalize or reject: the target, headers, and body are sent exactly as given. */
async function rawRequest(
  baseUrl: string,
  options: { method?: string; target: string; headers?: Record<string, string | string[]>; body?: string | Buffer },
): Promise<RawAnswer> {
  const { hostname, port } = new URL(baseUrl)
  const { method = 'GET', target, headers = {}, body } = options
  const outgoing = request({ hostname, port, method, path: target, headers, agent: false })
  outgoing.end(body)
  const [answer] = (await once(outgoing, 'response')) as [IncomingMessage]
  const pairs = answer.rawHeaders.flatMap((name, index, all): [string, string][] =>
    index % 2 === 0 ? [[name.toLowerCase(), all[index + 1] as string]] : [],
  )
  return { status: answer.statusCode ?? 0, headers: pairs, body: await buffer(answer) }
}
