import { once } from 'node:events'
import { request as send } from 'node:http'
import { connect } from 'node:net'
import { waitFor } from '@tideport/testing/wait-for'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { startDoor, startGateway } from '../bundle.ts'

const path = '/api/vaults/0198f2a0-0000-7000-8000-000000000001/content/cat.png'
const MIB = 1024 ** 2
const stack = new AsyncDisposableStack()
let door: Awaited<ReturnType<typeof startDoor>>
/** Cuts senders that stall for a second. */
let impatient: Awaited<ReturnType<typeof startGateway>>

beforeAll(async () => {
  door = stack.use(await startDoor())
  const limits = { STREAM_STALL_SECONDS: '1', STREAMS_PER_ADDRESS_MAX: '50' }
  impatient = stack.use(await startGateway({ ...door.env, FILES_URL: door.files.url, ...limits }))
})
afterAll(() => stack.disposeAsync())
afterEach(() => {
  door.files.seen.length = 0
  door.files.answerWith((_request, response) => response.end('{}'))
})

/** Writes a request byte for byte. Returns the received text up to the end of the connection. */
async function raw(
  head: string[],
  { body = '', url = door.gateway.url, sendOn = async (_socket: ReturnType<typeof connect>) => {} } = {},
) {
  const socket = connect({ port: Number(new URL(url).port), host: '127.0.0.1', allowHalfOpen: true })
  socket.on('error', () => {})
  let text = ''
  socket.on('data', (data) => {
    text += data
  })
  const closed = once(socket, 'end')
  socket.write(`${[...head, 'host: localhost', '', ''].join('\r\n')}${body}`)
  await sendOn(socket)
  await closed
  socket.destroy()
  return text
}

describe('a one-request upload', () => {
  it.each(['with a length', 'in chunks'])(
    'is forwarded byte for byte as it arrives, with its type (%s)',
    async (how) => {
      const bytes = 'tideport '.repeat(MIB)
      const body = how === 'in chunks' ? new Blob([bytes]).stream() : bytes
      const init = { method: 'PUT', body, headers: { 'content-type': 'image/png' }, duplex: 'half' } as RequestInit
      expect((await fetch(door.gateway.url + path, init)).status).toBe(200)
      const [seen] = door.files.seen
      expect(seen).toMatchObject({ method: 'PUT', url: path, headers: { 'content-type': 'image/png' } })
      expect(seen?.headers['content-length']).toBe(how === 'in chunks' ? undefined : String(bytes.length))
      expect(seen?.body === bytes).toBe(true)
    },
  )

  it('keeps its type if it is empty', async () => {
    await fetch(door.gateway.url + path, { method: 'POST', body: '', headers: { 'content-type': 'image/png' } })
    expect(door.files.seen[0]).toMatchObject({
      body: '',
      headers: { 'content-type': 'image/png', 'content-length': '0' },
    })
  })

  it('gets 408 if its sender stalls, and frees its slot', async () => {
    const stalled = raw([`PUT ${path} HTTP/1.1`, 'content-length: 1000'], { body: 'x', url: impatient.url })
    expect(await stalled).toMatch(/^HTTP\/1\.1 408 [\s\S]*connection: close[\s\S]*"code":"request_timeout"/i)
    await waitFor(async () => /^tideport_open_streams.* 0$/m.test(await impatient.metrics()))
    expect(door.files.seen).toEqual([])
  })

  it('blocks neither JSON requests nor other uploads when two hundred stall', async () => {
    const answers = Array.from({ length: 200 }, () =>
      raw([`PUT ${path} HTTP/1.1`, 'content-length: 1000'], { body: 'x', url: impatient.url }),
    )
    expect((await fetch(`${impatient.url}/api/files`)).status).toBe(200)
    const codes = (await Promise.all(answers)).map((text) => text.slice(9, 12))
    // A waiting upload may get the slot of one that was cut off.
    expect(codes.filter((code) => code === '408').length).toBeGreaterThanOrEqual(50)
    expect(codes.filter((code) => !['408', '503'].includes(code))).toEqual([])
    expect((await fetch(impatient.url + path, { method: 'PUT', body: 'x' })).status).toBe(200)
  })

  it('gets a response while it is being sent, and then its connection closes', async () => {
    // The stand-in responds only to complete requests. A request that admission rejects needs no upstream.
    const text = await raw([`PUT ${path} HTTP/1.1`, 'authorization: Bearer nonsense', `content-length: ${64 * MIB}`], {
      body: 'x'.repeat(100_000),
    })
    expect(text).toMatch(/^HTTP\/1\.1 401 [\s\S]*connection: close/i)
  })

  it.each([
    ['aborted upstream', 2 * MIB, MIB],
    ['never sent upstream if it is short', 2000, 1000],
  ])('is %s when its client disconnects', async (_what, length, sent) => {
    const outgoing = send(door.gateway.url + path, { method: 'PUT', headers: { 'content-length': length } })
    outgoing.on('error', () => {})
    await new Promise((resolve) => outgoing.write(Buffer.alloc(sent), resolve))
    outgoing.destroy()
    expect((await fetch(door.gateway.url + path, { method: 'PUT', body: 'x' })).status).toBe(200)
    expect(door.files.seen).toHaveLength(1)
  })
})

describe('a client that sends Expect: 100-continue', () => {
  const expecting = (length: number) => [`PUT ${path} HTTP/1.1`, 'expect: 100-continue', `content-length: ${length}`]

  it('gets 100 Continue after the service accepts the request', async () => {
    const text = await raw([...expecting(5), 'connection: close'], {
      async sendOn(socket) {
        await waitFor(() => socket.bytesRead > 0)
        socket.write('hello')
      },
    })
    expect(text).toMatch(/^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 200 /)
    expect(door.files.seen.map(({ method, url, body }) => [method, url, body])).toEqual([
      ['GET', path.replace('/api/', '/internal/'), ''],
      ['PUT', path, 'hello'],
    ])
    expect(door.files.seen[0]?.headers['x-tideport-content-length']).toBe('5')
  })

  it.each([
    [404, 'not_found'],
    [413, 'too_large'],
    [403, 'insufficient_scope'],
  ] as const)('gets %i before it sends the body', async (status, code) => {
    door.files.answerWith((_request, response) => response.writeHead(status).end(JSON.stringify({ error: 'No', code })))
    const text = await raw(expecting(5))
    expect(text.startsWith(`HTTP/1.1 ${status} `)).toBe(true)
    expect(text).toContain(code)
    expect(door.files.seen).toHaveLength(1)
  })

  it('gets 401 without a request to a service', async () => {
    const text = await raw([...expecting(5), 'authorization: Bearer nonsense'])
    expect(text).toMatch(/^HTTP\/1\.1 401 /)
    expect(door.files.seen).toHaveLength(0)
  })

  it('gets 100 Continue for JSON as well', async () => {
    const head = [
      'POST /api/vaults HTTP/1.1',
      'expect: 100-continue',
      'content-type: application/json',
      'content-length: 2',
      'connection: close',
    ]
    const text = await raw(head, {
      async sendOn(socket) {
        await waitFor(() => socket.bytesRead > 0)
        socket.write('{}')
      },
    })
    expect(text).toMatch(/^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 200 /)
  })
})
