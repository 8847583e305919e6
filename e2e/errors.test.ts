import { expect, test } from 'vitest'
import { fillPath, guardedOperations } from './support/operations.ts'
import { rawRequest } from './support/raw-request.ts'
import type { ErrorBody } from './support/resources.ts'
import { freshAccount, sharedStack } from './support/shared-stack.ts'

const gateway = () => sharedStack().gatewayUrls[0] as string
const takesBody = guardedOperations.filter(
  ({ method, path }) => /POST|PATCH/.test(method) && !/confirm|test$|\/content\//.test(path),
)

/** A request with this body and content type, as somebody known. */
function send(method: string, target: string, body: string, type: string) {
  const headers = { 'X-Dev-User-Id': sharedStack().firstUserId, 'Content-Type': type }
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

test('a body that is not JSON is 415 by its type and 400 by its content, one above 64 KiB 413, on every route that takes one', async () => {
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
    const large = await send(operation.method, path, JSON.stringify({ name: 'x'.repeat(70_000) }), 'application/json')
    expect(errorOf(large), operation.id).toEqual([413, 'too_large'])
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
