import { createServer, request as forward } from 'node:http'
import { createServer as createTcpServer } from 'node:net'
import { interimResponses, startInterimServer } from '@tideport/testing/interim-server'
import { closeAtOnce, listenOnLoopback } from '@tideport/testing/loopback-server'
import { afterEach, describe, expect, it } from 'vitest'
import { putBytes } from '../../src/client/put-bytes.ts'
import { fetch, proxyFor } from '../../src/node.ts'
import { createClient, createVault } from '../../src/tideport.ts'

const forever = new AbortController().signal

describe('an unrequested interim response', () => {
  const cases = Object.entries(interimResponses).flatMap(([name, pieces]) => [
    { name, pieces, isEarly: false },
    { name: `${name} before the body is read`, pieces, isEarly: true },
  ])

  it.each(cases)('is skipped: $name', async ({ pieces, isEarly }) => {
    await using server = await startInterimServer({ pieces, isEarly, body: '{"id":"v"}' })
    const client = createClient({ baseUrl: server.url, apiKey: 'tdp_x', attempts: 1 })
    expect(await createVault(client, { name: 'one', visibility: 'public' })).toEqual({ id: 'v' })
    const sent: number[] = []
    const put = { url: server.url, headers: {}, signal: forever, onSent: (bytes: number) => sent.push(bytes) }
    expect(await putBytes({ ...put, body: new Blob(['abc']) })).toEqual({ status: 200, text: '{"id":"v"}' })
    expect(sent.at(-1)).toBe(3)
    expect(server.bodies).toEqual(['{"name":"one","visibility":"public"}', 'abc'])
  })
})

describe('fetch on node:http', () => {
  it('follows redirects only for GET, and without credentials to another origin', async () => {
    const seen: (string | undefined)[] = []
    const target = createServer(({ headers }, response) => {
      seen.push(headers.authorization)
      response.end('there')
    })
    const to = `http://127.0.0.1:${await listenOnLoopback(target)}/`
    const source = createServer((_request, response) => response.writeHead(302, { location: to }).end())
    const from = `http://127.0.0.1:${await listenOnLoopback(source)}/`
    const headers = { authorization: 'Bearer x' }
    try {
      expect(await (await fetch(from, { headers })).text()).toBe('there')
      expect((await fetch(from, { headers, redirect: 'manual' })).status).toBe(302)
      expect((await fetch(from, { headers, method: 'POST', body: 'x' })).status).toBe(302)
      expect(seen).toEqual([undefined])
    } finally {
      await closeAtOnce(source)
      await closeAtOnce(target)
    }
  })

  it('returns a response that arrives during the upload, and stops the upload', async () => {
    const server = createServer((_request, response) => response.writeHead(413, { connection: 'close' }).end('large'))
    const url = `http://127.0.0.1:${await listenOnLoopback(server)}/`
    const response = await fetch(url, { method: 'PUT', body: new Uint8Array(1024) })
    expect([response.status, await response.text()]).toEqual([413, 'large'])
    await closeAtOnce(server)
  })

  it("rejects with the signal's reason, before and during a response", async () => {
    const server = createServer((request, response) => {
      if (request.url === '/amid') response.write('some')
    })
    const url = `http://127.0.0.1:${await listenOnLoopback(server)}`
    const early = new AbortController()
    const pending = fetch(`${url}/never`, { signal: early.signal })
    server.once('request', () => early.abort(new Error('enough')))
    await expect(pending).rejects.toThrow('enough')
    const late = new AbortController()
    const { body } = await fetch(`${url}/amid`, { signal: late.signal })
    const reader = (body as ReadableStream<Uint8Array>).getReader()
    expect(Buffer.from((await reader.read()).value as Uint8Array).toString()).toBe('some')
    late.abort()
    await expect(reader.read()).rejects.toThrow()
    await closeAtOnce(server)
  })

  it('fails if a server closes, truncates, or upgrades the connection', async () => {
    const answers = [
      '',
      'HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nhalf',
      'HTTP/1.1 101 S\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n',
    ]
    const server = createTcpServer((socket) =>
      socket.on('error', () => {}).once('data', () => socket.end(answers.shift() ?? '')),
    )
    const url = `http://127.0.0.1:${await listenOnLoopback(server)}/`
    for (let left = answers.length; left > 0; left--)
      await expect(fetch(url, {}).then((response) => response.text())).rejects.toThrow()
    server.close()
  })
})

describe('a proxy', () => {
  const names = [
    'http_proxy',
    'HTTP_PROXY',
    'https_proxy',
    'HTTPS_PROXY',
    'no_proxy',
    'NO_PROXY',
    'all_proxy',
    'ALL_PROXY',
  ]
  const before = names.map((name) => [name, process.env[name]] as const)
  afterEach(() => {
    for (const [name, value] of before) {
      if (value === undefined) delete process.env[name]
      else process.env[name] = value
    }
  })

  const all = { http_proxy: 'http://one:8080', HTTPS_PROXY: 'two:3128' }
  it.each([
    ['http://files.example/', all, 'http://one:8080/'],
    ['https://files.example/', all, 'http://two:3128/'],
    ['https://files.example/', { https_proxy: 'https://a', HTTPS_PROXY: 'http://b' }, 'https://a/'],
    ['https://files.example/', { http_proxy: 'http://one' }, null],
    ['https://files.example/', { https_proxy: '', HTTPS_PROXY: 'http://b' }, 'http://b/'],
    ['http://files.example/', { ALL_PROXY: 'http://c' }, 'http://c/'],
    ['http://localhost:80/', all, null],
    ['http://127.9.9.9/', all, null],
    ['http://[::1]/', all, null],
    ['http://127.example/', all, 'http://one:8080/'],
    ['http://files.example/', { ...all, NO_PROXY: '*' }, null],
    ['http://files.example/', { ...all, no_proxy: 'example' }, null],
    ['http://files.example/', { ...all, no_proxy: 'other, .Files.EXAMPLE' }, null],
    ['http://files.example./', { ...all, no_proxy: 'files.example' }, null],
    ['http://a.files.example/', { ...all, no_proxy: '*.files.example' }, null],
    ['http://myfiles.example/', { ...all, no_proxy: 'files.example' }, 'http://one:8080/'],
    ['http://files.example/', { ...all, no_proxy: 'a.files.example' }, 'http://one:8080/'],
    ['http://files.example:81/', { ...all, no_proxy: 'files.example:81' }, null],
    ['http://files.example/', { ...all, no_proxy: 'files.example:80' }, null],
    ['http://files.example/', { ...all, no_proxy: 'files.example:81' }, 'http://one:8080/'],
    ['http://10.1.2.3/', { ...all, no_proxy: '10.0.0.0/8' }, null],
    ['http://11.1.2.3/', { ...all, no_proxy: '10.0.0.0/8' }, 'http://one:8080/'],
    ['http://10.1.2.3/', { ...all, no_proxy: '2.3' }, 'http://one:8080/'],
    ['http://[fd00::1]:81/', { ...all, no_proxy: '[FD00:0::1]:81' }, null],
    ['http://[fd00::1]/', { ...all, no_proxy: 'fd00::/8' }, null],
  ])('for %s by %o is %s', (url, environment, proxy) => {
    expect(proxyFor(new URL(url), environment)?.href ?? null).toBe(proxy)
  })

  it.each(['socks5://user:secret@host', 'http://us er:secret@:x', 'ftp://secret'])(
    'that is %s is rejected without quoting it',
    (value) => {
      const act = () => proxyFor(new URL('http://files.example'), { HTTP_PROXY: value })
      expect(act).toThrow('HTTP_PROXY is not the URL of an http or https proxy')
      expect(act).not.toThrow('secret')
    },
  )

  it('gets the complete URL of an http request, and its own credentials', async () => {
    await using server = await startInterimServer({ pieces: [], body: 'ok' })
    const asked: unknown[] = []
    const proxy = createServer((request, response) => {
      asked.push([request.url, request.headers.host, request.headers['proxy-authorization']])
      forward(server.url, (answer) => answer.pipe(response)).end()
    })
    process.env.HTTP_PROXY = `http://me:p%40ss@127.0.0.1:${await listenOnLoopback(proxy)}`
    expect(await (await fetch('http://files.example/a?b#c', {})).text()).toBe('ok')
    expect(asked).toEqual([['http://files.example/a?b', 'files.example', `Basic ${btoa('me:p@ss')}`]])
    await closeAtOnce(proxy)
  })

  it('gets only the host of an https request', async () => {
    const asked: unknown[] = []
    const proxy = createServer()
    proxy.on('connect', (request, socket) => {
      asked.push([request.url, request.headers['proxy-authorization']])
      if (asked.length === 1) socket.end('HTTP/1.1 407 Proxy Authentication Required\r\n\r\n')
      else {
        socket.write('HTTP/1.1 200 OK\r\n\r\n')
        socket.once('data', () => socket.destroy())
      }
    })
    process.env.https_proxy = `http://127.0.0.1:${await listenOnLoopback(proxy)}`
    const codes: unknown[] = []
    for (let tried = 0; tried < 2; tried++)
      await fetch('https://files.example/secret', {}).catch((error: { cause: { code: string } }) =>
        codes.push(error.cause.code),
      )
    expect(asked).toEqual([
      ['files.example:443', undefined],
      ['files.example:443', undefined],
    ])
    expect(codes).toEqual(['PROXY_REFUSED', 'ECONNRESET'])
    await closeAtOnce(proxy)
  })
})
