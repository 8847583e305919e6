import { connect } from 'node:net'
import { gzipSync } from 'node:zlib'
import type { Endpoint } from '@tideport/contracts/endpoint/endpoint'
import { fillParameters } from '@tideport/contracts/endpoint/path-shape'
import { principalHeader } from '@tideport/contracts/internal/principal'
import { api } from '@tideport/contracts/public/api'
import { setUpOnce } from '@tideport/testing/set-up-once'
import { describe, expect, it } from 'vitest'
import { nowhere, principalKeys, request, startDoor, startGateway } from '../bundle.ts'
import { startUpstream } from '../start-upstream.ts'

const id = '0198f2a0-0000-7000-8000-000000000001'
const { verifierFor } = principalKeys
const publicFile = `/api/public/files/${id}`
const door = setUpOnce(() => startDoor())

describe('a forwarded request', () => {
  it('carries the caller in a signed token for one service, and nothing that the client claims (A6)', async () => {
    const accountId = crypto.randomUUID()
    const headers = {
      [principalHeader]: 'forged',
      'X-Tideport-Scopes': 'all',
      'X-Dev-User-Id': accountId,
      'X-Forwarded-For': '1.1.1.1',
      Cookie: 'a=b',
      'X-Request-Id': 'given-by-client',
      traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
    }
    const answer = await request(`${door.gateway.url}/api/vaults?limit=5&sortBy=name`, { headers })
    expect(answer.headers.get('x-request-id')).toBe('given-by-client')
    const [seen] = door.files.seen
    expect(seen).toMatchObject({ method: 'GET', url: '/api/vaults?limit=5&sortBy=name' })
    expect(seen?.headers).toMatchObject({
      'x-request-id': 'given-by-client',
      // An external client neither sets our trace IDs nor decides which traces are recorded.
      traceparent: expect.stringMatching(/^00-(?!0af7651916cd43dd8448eb211c80319c)[0-9a-f]{32}-[0-9a-f]{16}-00$/),
      host: new URL(door.files.url).host,
    })
    for (const name of Object.keys(headers)) {
      if (!/principal|request-id|traceparent/i.test(name)) expect(seen?.headers).not.toHaveProperty(name.toLowerCase())
    }
    const token = String(seen?.headers[principalHeader])
    expect(verifierFor('files')(token)).toMatchObject({ kind: 'account', accountId })
    expect(() => verifierFor('webhooks')(token)).toThrow()
  })

  it('is anonymous on public routes, even with a credential', async () => {
    const { status } = await request(door.gateway.url + publicFile, { bearer: 'nonsense' })
    expect(status).toBe(200)
    expect(door.files.seen[0]?.headers).not.toHaveProperty('authorization')
    expect(verifierFor('files')(String(door.files.seen[0]?.headers[principalHeader]))).toEqual({ kind: 'public' })
  })

  it('is rejected when a page of this origin loads a file as a program or a style sheet', async () => {
    const load = (site: string, dest: string) =>
      request(door.gateway.url + publicFile, { headers: { 'sec-fetch-site': site, 'sec-fetch-dest': dest } })
    for (const dest of ['script', 'worker', 'sharedworker', 'serviceworker', 'style']) {
      const { status, body } = await load('same-origin', dest)
      expect([status, body], dest).toEqual([404, { error: 'Not found', code: 'not_found' }])
    }
    expect(door.files.seen).toEqual([])
    for (const [site, dest] of [
      ['same-origin', 'image'],
      ['same-origin', 'empty'],
      ['cross-site', 'script'],
    ] as const) {
      expect((await load(site, dest)).status, `${site} ${dest}`).toBe(200)
    }
  })

  it('keeps its JSON body byte for byte', async () => {
    const body = '{ "name":"Ω\\u0041",  "visibility":"public" }'
    const headers = { 'content-type': 'application/json; charset=utf-8' }
    await request(`${door.gateway.url}/api/vaults`, { method: 'POST', headers, body })
    expect(door.files.seen[0]).toMatchObject({ method: 'POST', body })
    expect(door.files.seen[0]?.headers).toMatchObject({ 'content-type': 'application/json; charset=utf-8' })
  })

  it('gets the status, headers, and body of the response, without hop-by-hop headers', async () => {
    door.files.answerWith((_request, response) => {
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
    const { status, headers, body } = await request(door.gateway.url + publicFile, { headers: { range: 'bytes=0-3' } })
    expect({ status, body }).toEqual({ status: 206, body: 'data' })
    expect(Object.fromEntries(headers)).toMatchObject({
      etag: '"x"',
      'content-range': 'bytes 0-3/9',
      'content-length': '4',
    })
    expect(headers.get('x-hop')).toBeNull()
    expect(headers.get('x-request-id')).not.toBe('upstream')
    expect(door.files.seen[0]?.headers).toMatchObject({ range: 'bytes=0-3' })
  })

  it('can be a HEAD on public reads, with the length and without the body', async () => {
    door.files.answerWith((_request, response) => response.writeHead(200, { 'content-length': '12345' }).end())
    for (let i = 0; i < 3; i++) {
      const { status, headers, body } = await request(door.gateway.url + publicFile, { method: 'HEAD' })
      expect([status, headers.get('content-length'), body]).toEqual([200, '12345', ''])
    }
    expect(new Set(door.files.seen.map(({ method }) => method))).toEqual(new Set(['HEAD']))
  })

  it('can be a HEAD wherever GET is allowed', async () => {
    door.files.answerWith((_request, response) => response.writeHead(200, { 'content-length': '12345' }).end())
    const reads = Object.values<Endpoint>(api).filter(
      ({ method, service, access }) => method === 'GET' && service === 'files' && access !== 'operator',
    )
    for (const { path } of reads) {
      const url = door.gateway.url + fillParameters(path, () => id)
      const { status, headers, body } = await request(url, { method: 'HEAD' })
      expect([path, status, headers.get('content-length'), body]).toEqual([path, 200, '12345', ''])
    }
    expect(door.files.seen.map(({ method }) => method)).toEqual(reads.map(() => 'HEAD'))
    expect((await request(`${door.gateway.url}/ready`, { method: 'HEAD' })).status).toBe(200)
  })

  it('can have an absolute URL as its target', async () => {
    const socket = connect(door.gateway.port, '127.0.0.1')
    socket.write(`GET http://localhost${publicFile}?a=b HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`)
    let text = ''
    for await (const chunk of socket) text += chunk
    expect(text).toMatch(/^HTTP\/1\.1 200 /)
    expect(door.files.seen[0]?.url).toBe(`${publicFile}?a=b`)
  })
})

describe('a request that is not forwarded', () => {
  it('gets 405 with Allow for a wrong method', async () => {
    const cases = [
      ['DELETE', '/api/vaults', 'POST, GET, HEAD'],
      ['PUT', publicFile, 'GET, HEAD'],
      ['OPTIONS', `/api/files/${id}/confirm`, 'POST'],
      ['OPTIONS', '/api/vaults', 'POST, GET, HEAD'],
      ['HEAD', `/api/files/${id}/confirm`, 'POST'],
      ['PUT', '/ready', 'GET, HEAD'],
      ['QUERY', '/api/vaults', 'POST, GET, HEAD'],
      ['PROPFIND', publicFile, 'GET, HEAD'],
      ['POST', '/api/openapi.json', 'GET, HEAD'],
    ]
    for (const [method, path, allow] of cases) {
      const { status, headers } = await request(door.gateway.url + path, { method: method ?? '' })
      expect([method, path, status, headers.get('allow')]).toEqual([method, path, 405, allow])
    }
    expect(door.files.seen).toEqual([])
  })

  it('gets 415 for a body that is not JSON and 413 above 64 KiB, but may be empty', async () => {
    const post = (type: string, body: string) =>
      request(`${door.gateway.url}/api/vaults`, { method: 'POST', headers: { 'content-type': type }, body })
    for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'application/jsonx', 'nonsense']) {
      expect(await post(type, '{}')).toMatchObject({ status: 415, body: { code: 'unsupported_media_type' } })
    }
    const gzipped = { 'content-type': 'application/json', 'content-encoding': 'gzip' }
    const encoded = { method: 'POST', headers: gzipped, body: gzipSync('{}') }
    expect((await request(`${door.gateway.url}/api/vaults`, encoded)).status).toBe(415)
    for (const size of [65_537, 3_000_000]) {
      expect(await post('application/json', 'x'.repeat(size))).toMatchObject({
        status: 413,
        body: { code: 'too_large' },
      })
    }
    expect(door.files.seen).toEqual([])
    expect((await post('application/json', ' '.repeat(65_536))).status).toBe(200)
    const confirm = { method: 'POST', headers: { 'content-type': 'application/x-www-form-urlencoded' } }
    expect((await request(`${door.gateway.url}/api/files/${id}/confirm`, confirm)).status).toBe(200)
    expect(door.files.seen[1]?.headers).toMatchObject({ 'content-length': '0' })
  })

  it('gets 401 for an invalid credential before its body is checked', async () => {
    const init = {
      method: 'POST',
      bearer: 'nonsense',
      headers: { 'content-type': 'text/plain' },
      body: 'x'.repeat(100_000),
    }
    expect((await request(`${door.gateway.url}/api/vaults`, init)).status).toBe(401)
  })
})

describe('several processes of one service', () => {
  const post = { method: 'POST', json: { name: 'v' } }

  it('are used in rotation, and one that refuses connections is skipped, also for writes', async () => {
    await using other = await startUpstream()
    await using balanced = await startGateway({ ...door.env, FILES_URL: `${door.files.url},${other.url},${nowhere}` })
    for (let i = 0; i < 12; i++) {
      expect((await request(`${balanced.url}/api/vaults`, i % 2 ? post : {})).status).toBe(200)
    }
    expect(door.files.seen.length + other.seen.length).toBe(12)
    expect(Math.min(door.files.seen.length, other.seen.length)).toBeGreaterThan(2)
  })

  it('take over reads from one that drops connections, but a write is never sent twice', async () => {
    await using other = await startUpstream()
    other.answerWith((request) => request.socket.resetAndDestroy())
    await using balanced = await startGateway({ ...door.env, FILES_URL: `${door.files.url},${other.url}` })
    for (let i = 0; i < 6; i++) expect((await request(`${balanced.url}/api/vaults`)).status).toBe(200)
    expect(other.seen.length).toBeGreaterThan(0)

    door.files.seen.length = other.seen.length = 0
    const statuses = []
    for (let i = 0; i < 6; i++) statuses.push((await request(`${balanced.url}/api/vaults`, post)).status)
    expect(new Set(statuses)).toEqual(new Set([200, 503]))
    expect(door.files.seen.length + other.seen.length).toBe(6)
  })

  it('cause 503 with Retry-After if all are down, and the gateway stays ready', async () => {
    const { status, headers, body } = await request(`${door.gateway.url}/api/webhooks`)
    expect([status, body.code]).toEqual([503, 'unavailable'])
    expect(Number(headers.get('retry-after'))).toBeGreaterThan(0)
    for (const url of [door.gateway.url, door.gateway.adminUrl]) {
      expect(await request(`${url}/ready`)).toMatchObject({
        status: 200,
        body: { status: 'ready', dependencies: { auth: 'up', files: 'up', webhooks: 'down' } },
      })
    }
  })
})
