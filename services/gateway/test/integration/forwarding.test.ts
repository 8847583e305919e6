import { once } from 'node:events'
import { get, type IncomingMessage, type ServerResponse } from 'node:http'
import { connect } from 'node:net'
import { principalHeader } from '@tideport/contracts/principal'
import { waitFor } from '@tideport/testing/wait-for'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { nowhere, request, startAuth, startGateway, verifierFor } from '../bundle.ts'
import { startUpstream } from '../start-upstream.ts'

const id = '0198f2a0-0000-7000-8000-000000000001'
const publicFile = `/api/public/files/${id}`
const stack = new AsyncDisposableStack()
let auth: Awaited<ReturnType<typeof startAuth>>
let files: Awaited<ReturnType<typeof startUpstream>>
let gateway: Awaited<ReturnType<typeof startGateway>>

beforeAll(async () => {
  auth = stack.use(await startAuth())
  files = stack.use(await startUpstream())
  gateway = stack.use(await startGateway({ AUTH_URL: auth.url, FILES_URL: files.url, SERVICE_ENV: 'development' }))
  await request(`${gateway.url}/api/auth/api-keys`, { headers: { 'X-Dev-Provider-Id': 'first' } })
})
afterAll(() => stack.disposeAsync())
afterEach(() => {
  files.seen.length = 0
  files.answerWith((_request, response) => response.end('{}'))
})

const firstUser = async () => (await auth.sql<{ id: string }>('select id from account'))[0]?.id

describe('a forwarded request', () => {
  it('carries who calls in a signed token for that service only, and nothing the client claims (A6)', async () => {
    const headers = {
      [principalHeader]: 'forged',
      'X-Tideport-Scopes': 'all',
      'X-Dev-User-Id': (await firstUser()) ?? '',
      'X-Forwarded-For': '1.1.1.1',
      Cookie: 'a=b',
      'X-Request-Id': 'given-by-client',
      traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
    }
    const answer = await request(`${gateway.url}/api/vaults?limit=5&sortBy=name`, { headers })
    expect(answer.headers.get('x-request-id')).toBe('given-by-client')
    const [seen] = files.seen
    expect(seen).toMatchObject({ method: 'GET', url: '/api/vaults?limit=5&sortBy=name' })
    expect(seen?.headers).toMatchObject({
      'x-request-id': 'given-by-client',
      traceparent: expect.stringMatching(/^00-0af7651916cd43dd8448eb211c80319c-[0-9a-f]{16}-01$/),
      host: new URL(files.url).host,
    })
    for (const name of Object.keys(headers)) {
      if (!/principal|request-id|traceparent/i.test(name)) expect(seen?.headers).not.toHaveProperty(name.toLowerCase())
    }
    const token = String(seen?.headers[principalHeader])
    expect(await verifierFor('files')(token)).toMatchObject({ kind: 'account', accountId: await firstUser() })
    await expect(verifierFor('webhooks')(token)).rejects.toThrow()
  })

  it('is a public one on public routes, whatever credential came along', async () => {
    const { status } = await request(gateway.url + publicFile, { bearer: 'nonsense' })
    expect(status).toBe(200)
    expect(files.seen[0]?.headers).not.toHaveProperty('authorization')
    expect(await verifierFor('files')(String(files.seen[0]?.headers[principalHeader]))).toEqual({ kind: 'public' })
  })

  it('keeps its JSON body byte for byte', async () => {
    const body = '{ "name":"Ω\\u0041",  "visibility":"public" }'
    const headers = { 'content-type': 'application/json; charset=utf-8' }
    await request(`${gateway.url}/api/vaults`, { method: 'POST', headers, body })
    expect(files.seen[0]).toMatchObject({ method: 'POST', body })
    expect(files.seen[0]?.headers).toMatchObject({ 'content-type': 'application/json; charset=utf-8' })
  })

  it('gets status, headers and body of the answer, but no hop-by-hop header', async () => {
    files.answerWith((_request, response) => {
      response.writeHead(206, {
        etag: '"x"',
        'content-range': 'bytes 0-3/9',
        'content-length': '4',
        'x-request-id': 'upstream',
        connection: 'close, x-hop',
        'x-hop': '1',
      })
      response.end('data')
    })
    const { status, headers, body } = await request(gateway.url + publicFile, { headers: { range: 'bytes=0-3' } })
    expect({ status, body }).toEqual({ status: 206, body: 'data' })
    expect(Object.fromEntries(headers)).toMatchObject({
      etag: '"x"',
      'content-range': 'bytes 0-3/9',
      'content-length': '4',
    })
    expect(headers.get('x-hop')).toBeNull()
    expect(headers.get('x-request-id')).not.toBe('upstream')
    expect(files.seen[0]?.headers).toMatchObject({ range: 'bytes=0-3' })
  })

  it('may be HEAD on public reads, with the length and without the body', async () => {
    files.answerWith((_request, response) => response.writeHead(200, { 'content-length': '12345' }).end())
    for (let i = 0; i < 3; i++) {
      const { status, headers, body } = await request(gateway.url + publicFile, { method: 'HEAD' })
      expect([status, headers.get('content-length'), body]).toEqual([200, '12345', ''])
    }
    expect(new Set(files.seen.map(({ method }) => method))).toEqual(new Set(['HEAD']))
  })

  it('may name its target by an absolute URL', async () => {
    const socket = connect(gateway.port, '127.0.0.1')
    socket.write(`GET http://any.test${publicFile}?a=b HTTP/1.1\r\nHost: any.test\r\nConnection: close\r\n\r\n`)
    let text = ''
    for await (const chunk of socket) text += chunk
    expect(text).toMatch(/^HTTP\/1\.1 200 /)
    expect(files.seen[0]?.url).toBe(`${publicFile}?a=b`)
  })
})

describe('a request that is not forwarded', () => {
  it('has an unknown path, the internal ones included: 404', async () => {
    for (const path of [
      '/',
      '/api',
      '/api/nothing',
      '/internal/accounts/find',
      '/api/files/%zz',
      `/api/files/${id}/`,
    ]) {
      const { status, body } = await request(gateway.url + path, { method: 'GET' })
      expect({ path, status, body }).toEqual({ path, status: 404, body: { error: 'Not found', code: 'not_found' } })
    }
    expect(files.seen).toEqual([])
  })

  it('has the wrong method: 405 with Allow', async () => {
    const cases = [
      ['DELETE', '/api/vaults', 'POST, GET'],
      ['PUT', publicFile, 'GET, HEAD'],
      ['OPTIONS', `/api/files/${id}/confirm`, 'POST'],
      ['HEAD', '/api/vaults', 'POST, GET'],
      ['POST', '/api/openapi.json', 'GET, HEAD'],
    ]
    for (const [method, path, allow] of cases) {
      const { status, headers } = await request(gateway.url + path, { method: method ?? '' })
      expect([method, path, status, headers.get('allow')]).toEqual([method, path, 405, allow])
    }
    expect(files.seen).toEqual([])
  })

  it('has a body that is no JSON (415) or over 64 KiB (413); nothing at all is fine', async () => {
    const post = (type: string, body: string) =>
      request(`${gateway.url}/api/vaults`, { method: 'POST', headers: { 'content-type': type }, body })
    for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'application/jsonx', 'nonsense']) {
      expect(await post(type, '{}')).toMatchObject({ status: 415, body: { code: 'unsupported_media_type' } })
    }
    for (const size of [65_537, 3_000_000]) {
      expect(await post('application/json', 'x'.repeat(size))).toMatchObject({
        status: 413,
        body: { code: 'too_large' },
      })
    }
    expect(files.seen).toEqual([])
    expect((await post('application/json', ' '.repeat(65_536))).status).toBe(200)
    const confirm = { method: 'POST', headers: { 'content-type': 'application/x-www-form-urlencoded' } }
    expect((await request(`${gateway.url}/api/files/${id}/confirm`, confirm)).status).toBe(200)
    expect(files.seen[1]?.headers).toMatchObject({ 'content-length': '0' })
  })

  it('has a wrong credential: 401 before anything is said of its body', async () => {
    const init = {
      method: 'POST',
      bearer: 'nonsense',
      headers: { 'content-type': 'text/plain' },
      body: 'x'.repeat(100_000),
    }
    expect((await request(`${gateway.url}/api/vaults`, init)).status).toBe(401)
  })
})

/** Starts a download and hands over the open answer. */
async function open(path: string): Promise<IncomingMessage> {
  const outgoing = get(gateway.url + path, { agent: false })
  const [response] = await once(outgoing, 'response')
  return response as IncomingMessage
}

describe('a streamed answer', () => {
  it('waits for a slow client instead of filling the gateway', async () => {
    const sizeBytes = 200 * 1024 * 1024
    const chunk = Buffer.alloc(64 * 1024, 7)
    let sentBytes = 0
    const pump = (response: ServerResponse) => {
      while (sentBytes < sizeBytes) {
        sentBytes += chunk.length
        if (!response.write(chunk)) return void response.once('drain', () => pump(response))
      }
      response.end()
    }
    files.answerWith((_request, response) => pump(response.writeHead(200, { 'content-length': String(sizeBytes) })))
    const response = await open(publicFile)
    response.pause()
    // Stalled: what is under way sits in socket buffers, and no more is taken.
    let before = -1
    const isStalled = () => {
      const stalled = before === sentBytes
      before = sentBytes
      return stalled
    }
    await waitFor(isStalled, { everyMs: 300 })
    expect(sentBytes).toBeLessThan(40 * 1024 * 1024)
    let receivedBytes = 0
    for await (const part of response) receivedBytes += part.length
    expect(receivedBytes).toBe(sizeBytes)
  })

  it.each(['chunked', 'with a length'])(
    'cut in the middle (%s) breaks the connection: it never looks complete',
    async (how) => {
      files.answerWith((_request, response) => {
        response.writeHead(200, how === 'chunked' ? {} : { 'content-length': '1000000' })
        response.write('x'.repeat(5000), () => setImmediate(() => response.destroy()))
      })
      const response = await open(publicFile)
      response.resume()
      const [error] = await once(response, 'error')
      expect(error).toMatchObject({ code: 'ECONNRESET' })
      expect(response.complete).toBe(false)
    },
  )

  it('ends at the service when the client goes', async () => {
    const gone = Promise.withResolvers<boolean>()
    files.answerWith((_request, response) => {
      response.once('close', () => gone.resolve(!response.writableFinished))
      response.write('first')
    })
    const response = await open(publicFile)
    await once(response, 'data')
    response.destroy()
    expect(await gone.promise).toBe(true)
  })

  it('is not waited for when the client goes before it began', async () => {
    const [asked, gone] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    files.answerWith((_request, response) => {
      response.once('close', gone.resolve)
      asked.resolve()
    })
    const outgoing = get(gateway.url + publicFile, { agent: false }).on('error', () => {})
    await asked.promise
    outgoing.destroy()
    await gone.promise
  })
})

describe('several processes of one service', () => {
  const post = { method: 'POST', json: { name: 'v' } }

  it('take turns, and one that refuses connections is passed over, for writes too', async () => {
    await using other = await startUpstream()
    const env = { AUTH_URL: auth.url, SERVICE_ENV: 'development' }
    await using balanced = await startGateway({ ...env, FILES_URL: `${files.url},${other.url},${nowhere}` })
    for (let i = 0; i < 12; i++) {
      expect((await request(`${balanced.url}/api/vaults`, i % 2 ? post : {})).status).toBe(200)
    }
    expect(files.seen.length + other.seen.length).toBe(12)
    expect(Math.min(files.seen.length, other.seen.length)).toBeGreaterThan(2)
  })

  it('cover for one that drops connections in reads; a write is never sent twice', async () => {
    await using other = await startUpstream()
    other.answerWith((request) => request.socket.resetAndDestroy())
    const env = { AUTH_URL: auth.url, SERVICE_ENV: 'development' }
    await using balanced = await startGateway({ ...env, FILES_URL: `${files.url},${other.url}` })
    for (let i = 0; i < 6; i++) expect((await request(`${balanced.url}/api/vaults`)).status).toBe(200)
    expect(other.seen.length).toBeGreaterThan(0)

    files.seen.length = other.seen.length = 0
    const statuses = []
    for (let i = 0; i < 6; i++) statuses.push((await request(`${balanced.url}/api/vaults`, post)).status)
    expect(new Set(statuses)).toEqual(new Set([200, 503]))
    expect(files.seen.length + other.seen.length).toBe(6)
  })

  it('that are all down: 503 with Retry-After, and readiness stays', async () => {
    const { status, headers, body } = await request(`${gateway.url}/api/webhooks`)
    expect([status, body.code]).toEqual([503, 'unavailable'])
    expect(Number(headers.get('retry-after'))).toBeGreaterThan(0)
    for (const url of [gateway.url, gateway.adminUrl]) {
      expect(await request(`${url}/ready`)).toMatchObject({
        status: 200,
        body: { status: 'ready', dependencies: { auth: 'up', files: 'up', webhooks: 'down' } },
      })
    }
  })
})

it('lets requests under way finish when it is told to stop', async () => {
  const stopping = await startGateway({ AUTH_URL: auth.url, FILES_URL: files.url })
  const held = Promise.withResolvers<ServerResponse>()
  files.answerWith((_request, response) => held.resolve(response))
  const answer = request(stopping.url + publicFile)
  const response = await held.promise
  const ended = stopping.kill('SIGTERM')
  await waitFor(() =>
    fetch(`${stopping.url}/ready`).then(
      () => false,
      () => true,
    ),
  )
  response.end('done')
  expect(await answer).toMatchObject({ status: 200, body: 'done' })
  await ended
})
