import { once } from 'node:events'
import { connect } from 'node:net'
import { PassThrough } from 'node:stream'
import { endpoint } from '@tideport/contracts/endpoint/endpoint'
import { waitFor } from '@tideport/testing/wait-for'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { UNDER_WAY_MAX } from '../../src/http/connection.ts'
import { serve } from '../../src/http/route.ts'
import { listen } from '../listen.ts'

const base = { service: 'files', summary: 'Test', access: 'public', errors: [] } as const
const query = z.object({ n: z.string().optional() })
const made = { status: 201, schema: z.object({ made: z.string() }) } as const
const make = endpoint({
  ...base,
  method: 'POST',
  path: '/make',
  query,
  body: z.looseObject({}),
  success: made,
})
const bytes = endpoint({ ...base, method: 'GET', path: '/bytes', success: { status: 200, bytes: true } })

const GARBAGE = 'BAD\r\n\r\n'
const post = (n: number | string, body = '{}') =>
  `POST /make?n=${n} HTTP/1.1\r\nHost: a\r\nX-Tideport-Principal: x\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`
const get = 'GET /bytes HTTP/1.1\r\nHost: a\r\nX-Tideport-Principal: x\r\n\r\n'

let server: Awaited<ReturnType<typeof startServer>>
beforeEach(async () => {
  server = await startServer()
})
afterEach(() => server.close())

async function startServer() {
  const gate = Promise.withResolvers<void>()
  const source = new PassThrough()
  const begun: (string | undefined)[] = []
  const aborted: (string | undefined)[] = []
  const { app, lines, port } = await listen([
    serve(make, async ({ query: { n }, signal }) => {
      begun.push(n)
      signal.addEventListener('abort', () => aborted.push(n), { once: true })
      await gate.promise
      return { made: n ?? '' }
    }),
    serve(bytes, async ({ reply }) => reply.header('content-length', '10').send(source)),
  ])
  return {
    port,
    lines,
    begun,
    aborted,
    source,
    open: () => gate.resolve(),
    async close() {
      gate.resolve()
      source.destroy()
      await app.close()
    },
  }
}

/** A connection that sends exactly this text. */
function dial(text: string) {
  const socket = connect(server.port, '127.0.0.1')
  let received = ''
  socket.on('data', (chunk) => (received += chunk.toString('latin1'))).on('error', () => {})
  socket.write(text)
  return {
    send: (more: string) => void socket.write(more),
    leave: () => socket.destroy(),
    received: () => received,
    /** Everything received until the server closed the connection. */
    async all() {
      if (!socket.closed) await once(socket, 'close')
      return received
    },
  }
}
const statusesOf = (text: string) => [...text.matchAll(/HTTP\/1\.1 (\d{3})/g)].map(([, status]) => Number(status))
const madeOf = (text: string) => [...text.matchAll(/"made":"([^"]*)"/g)].map(([, n]) => n)

describe('an unreadable request after valid ones', () => {
  it.each([
    ['in the same packet', GARBAGE, ''],
    ['in a later packet', '', GARBAGE],
    ['with an oversized head', '', `GET / HTTP/1.1\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`],
    ['in a chunked body', '', `POST /make HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n`],
  ])('gets its error after the responses to earlier requests (%s)', async (_, behind, later) => {
    const client = dial(post(1) + post(2) + post(3) + behind)
    await waitFor(() => server.begun.length === 3)
    client.send(later)
    expect(client.received()).toBe('')
    server.open()
    const text = await client.all()
    expect(statusesOf(text)).toEqual([201, 201, 201, 400])
    expect(madeOf(text)).toEqual(['1', '2', '3'])
    expect(JSON.parse(text.split('\r\n\r\n').at(-1) ?? '')).toMatchObject({ code: 'validation_failed' })
  })

  it('never gets its error in the middle of a response body', async () => {
    const client = dial(get)
    server.source.write('01234')
    await waitFor(() => client.received().endsWith('01234'))
    client.send(GARBAGE)
    client.send(GARBAGE)
    server.source.end('56789')
    const text = await client.all()
    expect(text).toMatch(/\r\n\r\n0123456789HTTP\/1\.1 400 Bad Request\r\n/)
    expect(statusesOf(text)).toEqual([200, 400])
  })

  it('gets its error at once when no other request is active', async () => {
    expect(statusesOf(await dial(GARBAGE).all())).toEqual([400])
    const broken = 'POST /make HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n'
    expect(statusesOf(await dial(broken).all())).toEqual([400])
  })
})

describe('pipelined requests', () => {
  it('are active up to a limit, and one more closes the connection after their responses', async () => {
    const numbers = Array.from({ length: 5000 }, (_, index) => String(index))
    const client = dial(numbers.map((n) => post(n)).join(''))
    await waitFor(() => server.begun.length === UNDER_WAY_MAX)
    server.open()
    const text = await client.all()
    expect(madeOf(text)).toEqual(numbers.slice(0, UNDER_WAY_MAX))
    expect(statusesOf(text).at(-1)).toBe(429)
    expect(text).toContain('retry-after: 1\r\n')
    expect(server.begun).toHaveLength(UNDER_WAY_MAX)
    expect(server.lines).toHaveLength(UNDER_WAY_MAX)
  })

  it('succeed in any number if each is sent after the response to the previous one', async () => {
    server.open()
    const client = dial('')
    for (let n = 0; n < 3 * UNDER_WAY_MAX; n += 1) {
      client.send(post(n))
      await waitFor(() => madeOf(client.received()).length === n + 1)
    }
    client.leave()
  })

  it('are all aborted when their client disconnects, including queued ones, with one log line each', async () => {
    const client = dial(post(1) + post(2) + post(3))
    await waitFor(() => server.begun.length === 3)
    client.leave()
    await waitFor(() => server.lines.length === 3)
    expect(server.aborted.toSorted()).toEqual(['1', '2', '3'])
    const line = { level: 'info', route: '/make', status: 499, isCutShort: true }
    expect(server.lines).toMatchObject([line, line, line])
  })
})
