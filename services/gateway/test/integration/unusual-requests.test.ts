import { once } from 'node:events'
import { connect } from 'node:net'
import { setUpOnce } from '@tideport/testing/set-up-once'
import { waitFor } from '@tideport/testing/wait-for'
import { describe, expect, it } from 'vitest'
import { startDoor } from '../bundle.ts'

const publicFile = '/api/public/files/0198f2a0-0000-7000-8000-000000000001'
const SIZE_BYTES = 8 * 1024 * 1024
const host = 'Host: localhost\r\n'
const get = `GET ${publicFile} HTTP/1.1\r\n${host}\r\n`
const vault = `POST /api/vaults HTTP/1.1\r\n${host}X-Dev-Provider-Id: first\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}`
const tunnel = `CONNECT told.example:443 HTTP/1.1\r\nHost: told.example:443\r\n\r\n`
const door = setUpOnce(() => startDoor())

function dial(text: string) {
  const socket = connect(door.gateway.port, '127.0.0.1')
  const chunks: Buffer[] = []
  socket.on('data', (chunk) => chunks.push(chunk)).on('error', () => {})
  socket.write(text)
  const all = async () => {
    if (!socket.closed) await once(socket, 'close')
    return Buffer.concat(chunks).toString('latin1')
  }
  return { socket, all }
}

it.each([
  ['no Host', 400, 'validation_failed', `GET ${publicFile} HTTP/1.1\r\nConnection: close\r\n\r\n`],
  [
    'no Host, with a body',
    400,
    'validation_failed',
    `PUT /api/vaults/told/content/x HTTP/1.1\r\nContent-Length: 9\r\n\r\ntold`,
  ],
  [
    'an unknown expectation',
    417,
    'expectation_failed',
    `PUT /api/vaults/told/content/x HTTP/1.1\r\n${host}Expect: told\r\nContent-Length: 9\r\n\r\n`,
  ],
  [
    'an unsupported transfer coding',
    400,
    'validation_failed',
    `PUT /api/vaults/told/content/x HTTP/1.1\r\n${host}Transfer-Encoding: gzip, chunked\r\n\r\n4\r\ntold\r\n`,
  ],
  ['CONNECT', 405, 'method_not_allowed', tunnel],
  ['CONNECT of a path', 405, 'method_not_allowed', `CONNECT ${publicFile}?told HTTP/1.1\r\n${host}\r\n`],
])(
  '%s gets a normal error response, reaches no service, and closes the connection',
  async (_name, status, code, text) => {
    const [head = '', body = ''] = (await dial(text).all()).split('\r\n\r\n')
    expect(head).toMatch(new RegExp(`^HTTP/1.1 ${status} `))
    expect(head).toMatch(/^content-type: application\/json; charset=utf-8$/im)
    expect(head).toMatch(/^x-request-id: /im)
    expect(head).toMatch(/^connection: close$/im)
    expect(JSON.parse(body)).toEqual({ error: expect.stringMatching(/^[A-Z]/), code })
    expect(body).not.toContain('told')
    expect(door.files.seen).toEqual([])
  },
)

it('requires no Host in HTTP/1.0', async () => {
  // Development mode requires a known host.
  expect(await dial(`GET ${publicFile} HTTP/1.0\r\n\r\n`).all()).toMatch(/^HTTP\/1.1 421 /)
})

it('CONNECT after a request does not replace its response', async () => {
  const answered = Promise.withResolvers<void>()
  door.files.answerWith(async (_request, response) => {
    await answered.promise
    response.end('{"is":"here"}')
  })
  const { all } = dial(get + tunnel)
  await waitFor(() => door.files.seen.length === 1)
  answered.resolve()
  const text = await all()
  expect([...text.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => status)).toEqual(['200', '405'])
  expect(text).toContain('{"is":"here"}')
})

it.each([
  ['CONNECT', tunnel, 405],
  ['garbage', 'BAD\r\n\r\n', 400],
])('%s after a download waits until the client has read the download', async (_name, next, status) => {
  const bytes = Buffer.alloc(SIZE_BYTES, 'x')
  door.files.answerWith((_request, response) => response.writeHead(200, { 'content-length': SIZE_BYTES }).end(bytes))
  const { socket, all } = dial(get)
  await once(socket, 'data')
  socket.pause()
  socket.write(next)
  await waitFor(() => socket.writableLength === 0)
  socket.resume()
  const text = await all()
  const body = text.slice(text.indexOf('\r\n\r\n') + 4)
  expect(body.slice(0, SIZE_BYTES) === 'x'.repeat(SIZE_BYTES)).toBe(true)
  expect(body.slice(SIZE_BYTES)).toMatch(new RegExp(`^HTTP/1.1 ${status} `))
})

it('garbage does not replace the response to a vault creation in progress', async () => {
  const made = Promise.withResolvers<void>()
  door.files.answerWith(async (_request, response) => {
    await made.promise
    response.writeHead(201, { 'content-type': 'application/json' }).end('{"id":"made"}')
  })
  const { all } = dial(`${vault}${vault}BAD\r\n\r\n`)
  await waitFor(() => door.files.seen.length === 2)
  made.resolve()
  const text = await all()
  expect([...text.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => status)).toEqual(['201', '201', '400'])
  expect(text.match(/"id":"made"/g)).toHaveLength(2)
})

it('5,000 pipelined requests reach services at most sixteen at a time, and the rest are rejected', async () => {
  const text = await dial(get.repeat(5000)).all()
  expect([...text.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => status)).toEqual([
    ...Array(door.files.seen.length).fill('200'),
    '429',
  ])
  expect(door.files.seen.length).toBeLessThan(5000)
})

describe('a request with a repeated header', () => {
  const list = (headers: string) =>
    `GET /api/vaults HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nX-Dev-Provider-Id: first\r\n${headers}\r\n`
  const statusOf = async (text: string) => (await dial(text).all()).slice(9, 12)

  it.each([
    ['Host', 'Host: localhost\r\n'],
    ['Host, of another name and case', 'hOST: elsewhere.example\r\n'],
    ['Content-Type', 'Content-Type: application/json\r\nContent-Type: text/plain\r\n'],
    ['Idempotency-Key', 'Idempotency-Key: a\r\nIdempotency-Key: b\r\n'],
    ['Content-Length', 'Content-Length: 0\r\nContent-Length: 0\r\n'],
  ])('gets 400 if the header has a single value: %s', async (_name, headers) => {
    expect(await statusOf(list(headers))).toBe('400')
    expect(door.files.seen).toEqual([])
  })

  it('is accepted if the header is a list', async () => {
    expect(await statusOf(list('Accept: text/html\r\nAccept: application/json\r\n'))).toBe('200')
  })
})
