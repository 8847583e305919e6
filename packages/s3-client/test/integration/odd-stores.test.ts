import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { setTimeout as delay } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { createS3Client, type S3ClientOptions } from '../../src/s3-client.ts'

type Handler = (request: IncomingMessage, response: ServerResponse, count: number) => unknown

/** Timeouts for stores that send nothing. */
const hasty = { answerTimeoutMs: 300, silenceTimeoutMs: 300 }
/** Longer timeouts where a response follows, because a busy machine is slow. */
const brief = { answerTimeoutMs: 1_500, silenceTimeoutMs: 1_500 }

/** A store with the responses of a test, and its client. */
async function startStore(handler: Handler, more: Partial<S3ClientOptions> = {}) {
  const requests: IncomingMessage[] = []
  const server = createServer((request, response) => void handler(request, response, requests.push(request)))
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const client = createS3Client({
    ...{ endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, region: 'us-east-1', bucket: 'b' },
    ...{ forcePathStyle: true, connections: 2, attempts: 2, connectTimeoutMs: 10_000, answerTimeoutMs: 10_000 },
    silenceTimeoutMs: 10_000,
    credentials: async () => ({ accessKeyId: 'a', secretAccessKey: 's' }),
    ...more,
  })
  return {
    ...{ client, requests },
    async [Symbol.asyncDispose]() {
      client[Symbol.dispose]()
      server.closeAllConnections()
      server.close()
    },
  }
}

const error = (code: string) => `<?xml version="1.0"?><Error><Code>${code}</Code><Message>No</Message></Error>`
const get = { method: 'GET', key: 'k' } as const

describe('a store that', () => {
  it.concurrent.each([
    ['closes the connection', (_: unknown, response: ServerResponse) => response.destroy()],
    ['sends nothing', () => {}],
    ['fails', (_: unknown, response: ServerResponse) => response.writeHead(500).end(error('InternalError'))],
    ['is overloaded', (_: unknown, response: ServerResponse) => response.writeHead(503).end(error('SlowDown'))],
  ])('%s gets a second request, and no third', async (_name, handler: Handler) => {
    const fail: Handler = (request, response, count) =>
      count === 1 ? handler(request, response, count) : response.end('<a/>')
    await using once = await startStore(fail, brief)
    expect((await once.client.ask(get)).body).toBe('<a/>')
    await using always = await startStore(handler, brief)
    await expect(always.client.ask(get)).rejects.toThrow()
    expect(always.requests).toHaveLength(2)
    await using single = await startStore(handler, { ...brief, attempts: 1 })
    await expect(single.client.ask(get)).rejects.toThrow()
    expect(single.requests).toHaveLength(1)
  })

  it('sends an endless response is cut off', async () => {
    const endless = () =>
      new Readable({
        read() {
          this.push(Buffer.alloc(65_536))
        },
      })
    await using t = await startStore((_, response) => endless().pipe(response), { attempts: 1 })
    await expect(t.client.ask(get)).rejects.toMatchObject({ name: 'MalformedAnswer', status: 502 })
  })

  it('has a different clock gets the request again with its time', async () => {
    const ahead = Date.now() + 3_600_000
    await using t = await startStore((request, response) => {
      const signed = String(request.headers['x-amz-date']).replace(/(..)(..)T(..)(..)/, '-$1-$2T$3:$4:')
      const isNow = Math.abs(Date.parse(signed) - ahead) < 1_800_000
      response.setHeader('date', new Date(ahead).toUTCString())
      if (isNow) response.end('<a/>')
      else response.writeHead(403).end(error('RequestTimeTooSkewed'))
    })
    for (const _ of [1, 2]) expect((await t.client.ask(get)).body).toBe('<a/>')
    expect(t.requests).toHaveLength(3)
  })

  it('sends slowly blocks neither an aborted caller nor the next one', async () => {
    await using t = await startStore((_, response) => void response.write('begun'), { connections: 1 })
    const gone = new AbortController()
    const { body } = await t.client.open(get, gone.signal)
    const reading = text(body)
    const waiting = new AbortController()
    const asked = t.client.ask(get, waiting.signal)
    waiting.abort()
    await expect(asked).rejects.toMatchObject({ name: 'AbortError' })
    gone.abort()
    await expect(reading).rejects.toThrow()
    await expect(t.client.ask(get, AbortSignal.abort())).rejects.toMatchObject({ name: 'AbortError' })
  })
})

describe('a store that stops sending', () => {
  const ok = 'HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n'
  const chunked = 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n'
  const refused = 'HTTP/1.1 404 Not Found\r\nContent-Length: 100\r\n\r\n'
  const readAll = async ({ client }: { client: ReturnType<typeof createS3Client> }) =>
    await text((await client.open(get)).body)

  it.concurrent.each([
    ['before its response', ''],
    ['in the status line', ok.slice(0, 12)],
    ['in a header', ok.slice(0, 30)],
    ['before the end of the head', ok.slice(0, -2)],
    ['after the head', ok],
    ['in the body', `${ok}abc`],
    ['before the last byte', `${ok}abcdefghi`],
    ['in the size of a chunk', `${chunked}3`],
    ['after a chunk', `${chunked}3\r\nabc\r\n`],
    ['before the end of the last chunk', `${chunked}3\r\nabc\r\n0\r\n`],
    ['after the head of an error', refused],
    ['in the body of an error', `${refused}<Error><Code>NoSuchKey</Code>`],
  ])('%s times out, for complete and streamed responses', async (_, bytes) => {
    await using t = await startStore(({ socket }) => void socket.write(bytes), { ...hasty, attempts: 1 })
    const [asked, opened] = await Promise.allSettled([t.client.ask(get), readAll(t)])
    expect([asked.status, opened.status]).toEqual(['rejected', 'rejected'])
  })

  it('times out when an error of a streamed response continues forever, one byte at a time', async () => {
    await using t = await startStore(
      async ({ socket }) => {
        socket.write(refused)
        while (!socket.destroyed) {
          await delay(100)
          socket.write('<')
        }
      },
      { ...brief, attempts: 1 },
    )
    await expect(t.client.open(get)).rejects.toMatchObject({ name: 'MalformedAnswer', status: 502 })
  })

  it.concurrent('does not count as silent while the reader is slow', async () => {
    await using t = await startStore((_, response) => response.end(Buffer.alloc(4_000_000)), brief)
    const { body } = await t.client.open(get)
    await delay(2 * brief.silenceTimeoutMs)
    expect((await text(body)).length).toBe(4_000_000)
  })
})

it('an error without an S3 code is not an error of the store', async () => {
  const html = '<html><head><title>404</title></head><body><Code>NoSuchKey</Code></body></html>'
  await using t = await startStore((_, response) => response.writeHead(404).end(html))
  for (const call of [t.client.ask, t.client.open])
    await expect(call(get)).rejects.toMatchObject({ name: 'Http404', isAnonymous: true })
  await expect(t.client.ask({ ...get, method: 'HEAD' })).rejects.toMatchObject({ name: 'NotFound' })
})

it('repeated HEAD requests reuse the open connections', async () => {
  const ports = new Set<number | undefined>()
  await using t = await startStore((request, response) => {
    ports.add(request.socket.remotePort)
    response.end()
  })
  for (let call = 0; call < 20; call += 1) await t.client.ask({ method: 'HEAD', key: 'k' })
  expect(ports.size).toBeLessThanOrEqual(2)
})
