import { createServer as createHttpServer, type RequestListener } from 'node:http'
import { createServer as createTcpServer, type Server, type Socket } from 'node:net'
import { gzipSync } from 'node:zlib'
import { createAddressGuard, loopbackNetworks } from '@tideport/service-kit/outgoing/address-guard'
import { listenOnLoopback } from '@tideport/testing/loopback-server'
import { describe, expect, it } from 'vitest'
import { createOutgoing } from '../../src/outgoing/outgoing.ts'

const MIB = 1024 ** 2

/** Posts once to a server, and then stops the server, whatever its state. */
async function postTo(server: Server, timeoutMs = 10_000, signal?: AbortSignal) {
  await using stack = new AsyncDisposableStack()
  const sockets = new Set<Socket>()
  server.on('connection', (socket) => sockets.add(socket.on('error', () => {})))
  stack.defer(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  const outgoing = stack.use(
    createOutgoing({ timeoutMs, allows: createAddressGuard(loopbackNetworks), resolve: async () => [] }),
  )
  const url = `http://127.0.0.1:${await listenOnLoopback(server)}/`
  return await outgoing.post(
    { accountId: 'one', url, headers: { 'content-type': 'application/json' }, body: '{}' },
    signal,
  )
}

const http = (answer: RequestListener) => createHttpServer(answer)
const raw = (answer: (socket: Socket) => void) =>
  createTcpServer((socket) => void socket.once('data', () => answer(socket)))

describe('outgoing requests', () => {
  it('keep the first 4 KiB of a response, cut between characters', async () => {
    const answer = await postTo(http((_, response) => response.end(`x${'é'.repeat(3000)}`)))
    expect(answer).toMatchObject({ statusCode: 200, error: null, responseBody: `x${'é'.repeat(2047)}` })
  })

  it('stop at 64 KiB of an endless response and count it as a failure', async () => {
    let sentBytes = 0
    const answer = await postTo(
      http((_, response) => {
        const flood = () => {
          while (!response.destroyed && response.write(Buffer.alloc(MIB))) sentBytes += MIB
        }
        response.on('drain', flood)
        flood()
      }),
    )
    expect(answer).toMatchObject({ statusCode: 200, error: 'The response was larger than 64 KiB' })
    expect(sentBytes).toBeLessThan(64 * MIB)
  })

  it('time out on an endless slow response', async () => {
    const answer = await postTo(
      http((_, response) => {
        const drip = setInterval(() => response.write('.'), 20)
        response.once('close', () => clearInterval(drip))
      }),
      500,
    )
    expect(answer).toMatchObject({ statusCode: 200, error: 'No complete response within 0.5 s' })
  })

  it.each(['100 Continue', '102 Processing'])('time out on an endless series of %s', async (interim) => {
    const server = raw((socket) => {
      const drip = setInterval(() => socket.write(`HTTP/1.1 ${interim}\r\n\r\n`), 20)
      socket.once('close', () => clearInterval(drip))
    })
    expect(await postTo(server, 500)).toMatchObject({ statusCode: 0, error: 'No complete response within 0.5 s' })
  })

  it('accept unexpected interim responses', async () => {
    const interim = 'HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\n\r\nHTTP/1.1 100 Continue\r\n\r\n'
    let connections = 0
    const server = raw((socket) => socket.write(`${interim}HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n`))
    server.on('connection', () => connections++)
    expect(await postTo(server)).toMatchObject({ statusCode: 200, error: null })
    expect(connections).toBe(1)
  })

  it('time out without a response', async () => {
    const silent = http(() => {})
    expect(await postTo(silent, 300)).toMatchObject({ statusCode: 0, responseBody: null })
  })

  it.each([
    ['breaks off', 'HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nhalf', 200, expect.stringContaining('closed')],
    ['is garbage', 'NOT HTTP\r\n\r\n', 0, 'The response was not valid HTTP'],
    ['has endless headers', `HTTP/1.1 200 OK\r\nx: ${'x'.repeat(MIB)}`, 0, 'The response headers were too large'],
  ])('count a response that %s as a failure, whatever its status', async (_, answer, statusCode, error) => {
    expect(await postTo(raw((socket) => socket.end(answer)))).toMatchObject({ statusCode, error })
  })

  it('do not decompress responses', async () => {
    const bomb = gzipSync(Buffer.alloc(8 * MIB))
    const answer = await postTo(
      http((request, response) => {
        expect(request.headers['accept-encoding']).toBeUndefined()
        response.writeHead(200, { 'content-encoding': 'gzip' }).end(bomb)
      }),
    )
    expect(answer).toMatchObject({ statusCode: 200, error: null })
    expect(answer.responseBody?.length).toBeLessThanOrEqual(4096)
  })

  it('reject when the signal aborts', async () => {
    const stop = new AbortController()
    const server = http(() => stop.abort())
    await expect(postTo(server, 10_000, stop.signal)).rejects.toThrow()
  })
})
