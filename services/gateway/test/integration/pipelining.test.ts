import { once } from 'node:events'
import { connect } from 'node:net'
import { waitFor } from '@tideport/testing/wait-for'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startDoor } from '../bundle.ts'

const publicFile = '/api/public/files/0198f2a0-0000-7000-8000-000000000001'
const SIZE_BYTES = 8 * 1024 * 1024
const get = `GET ${publicFile} HTTP/1.1\r\nHost: localhost\r\n\r\n`
const vault = `POST /api/vaults HTTP/1.1\r\nHost: localhost\r\nX-Dev-Provider-Id: first\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}`
let door: Awaited<ReturnType<typeof startDoor>>

beforeAll(async () => {
  door = await startDoor()
})
afterAll(() => door[Symbol.asyncDispose]())

function dial(text: string) {
  const socket = connect(door.gateway.port, '127.0.0.1')
  const chunks: Buffer[] = []
  socket.on('data', (chunk) => chunks.push(chunk)).on('error', () => {})
  socket.write(text)
  const received = () => Buffer.concat(chunks)
  const all = async () => {
    if (!socket.closed) await once(socket, 'close')
    return received()
  }
  return { socket, received, all }
}

describe('garbage behind a good request', () => {
  it('never gets into a download under way: all its bytes come, then the 400', async () => {
    const bytes = Buffer.alloc(SIZE_BYTES, 'x')
    door.files.answerWith((_request, response) => response.writeHead(200, { 'content-length': SIZE_BYTES }).end(bytes))
    const { socket, received, all } = dial(get)
    await once(socket, 'data')
    socket.pause()
    socket.write('BAD\r\n\r\n')
    await waitFor(() => socket.writableLength === 0)
    socket.resume()
    const text = (await all()).toString('latin1')
    const body = text.slice(text.indexOf('\r\n\r\n') + 4)
    expect(body.slice(0, SIZE_BYTES) === 'x'.repeat(SIZE_BYTES)).toBe(true)
    expect(body.slice(SIZE_BYTES)).toMatch(/^HTTP\/1\.1 400 /)
    expect(received().length).toBeGreaterThan(SIZE_BYTES)
  })

  it('does not replace the answer of a vault that is being made', async () => {
    const made = Promise.withResolvers<void>()
    door.files.answerWith(async (_request, response) => {
      await made.promise
      response.writeHead(201, { 'content-type': 'application/json' }).end('{"id":"made"}')
    })
    door.files.seen.length = 0
    const { all } = dial(`${vault}${vault}BAD\r\n\r\n`)
    await waitFor(() => door.files.seen.length === 2)
    made.resolve()
    const text = (await all()).toString()
    expect([...text.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => status)).toEqual(['201', '201', '400'])
    expect(text.match(/"id":"made"/g)).toHaveLength(2)
  })
})

it('5,000 requests in one connection reach services sixteen at a time at most, and the rest nobody', async () => {
  door.files.answerWith((_request, response) => response.end('{}'))
  door.files.seen.length = 0
  const text = (await dial(get.repeat(5000)).all()).toString()
  expect([...text.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => status)).toEqual([
    ...Array(door.files.seen.length).fill('200'),
    '429',
  ])
  expect(door.files.seen.length).toBeLessThan(5000)
})

describe('a request that has a header twice', () => {
  const list = (headers: string) =>
    `GET /api/vaults HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nX-Dev-Provider-Id: first\r\n${headers}\r\n`
  const statusOf = async (text: string) => (await dial(text).all()).toString().slice(9, 12)

  it.each([
    ['Host', 'Host: localhost\r\n'],
    ['Host, of another name and case', 'hOST: elsewhere.example\r\n'],
    ['Content-Type', 'Content-Type: application/json\r\nContent-Type: text/plain\r\n'],
    ['Idempotency-Key', 'Idempotency-Key: a\r\nIdempotency-Key: b\r\n'],
    ['Content-Length', 'Content-Length: 0\r\nContent-Length: 0\r\n'],
  ])('is 400 when it tells one thing: %s', async (_name, headers) => {
    door.files.seen.length = 0
    expect(await statusOf(list(headers))).toBe('400')
    expect(door.files.seen).toEqual([])
  })

  it('is as good as any when that is a list', async () => {
    door.files.answerWith((_request, response) => response.end('{}'))
    expect(await statusOf(list('Accept: text/html\r\nAccept: application/json\r\n'))).toBe('200')
  })
})
