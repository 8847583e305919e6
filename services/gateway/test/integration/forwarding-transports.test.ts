import { createHash } from 'node:crypto'
import { once } from 'node:events'
import type { RequestListener } from 'node:http'
import { Readable } from 'node:stream'
import { alivePath } from '@tideport/contracts/internal/alive'
import { clientAddressHeader, postgresWaitHeader, postgresWaitMs } from '@tideport/contracts/internal/request-headers'
import { currentTrace, currentWaitBudget } from '@tideport/service-kit/context/request-context'
import { bytesOf } from '@tideport/service-kit/http/streamed-body'
import { AppError, notFound } from '@tideport/service-kit/process/app-error'
import { isFullRun } from '@tideport/testing/full-run'
import { waitFor } from '@tideport/testing/wait-for'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import {
  ACCOUNT_ID,
  type Call,
  CLIENT_ADDRESS,
  type Handle,
  read,
  responseTo,
  stable,
  startFront,
  type Transport,
} from '../start-front.ts'

const MIB = 1024 * 1024
/** More than all buffers between client and service hold. */
const LARGE_BYTES = 64 * MIB
/** At most this much of a body is buffered: by the kernel for the client, and for TCP once more for the service. */
const BUFFERED_MAX_BYTES = 32 * MIB
/** What the service does with a request. */
let handle: Handle

/** How a large body is sent; over each transport, one of them in `npm test`. */
const framings: [name: string, headers: Record<string, string>][] = [
  ['content-length', { 'content-length': String(LARGE_BYTES) }],
  ...(isFullRun ? [['chunks', {}] satisfies [string, object]] : []),
]

describe.each<Transport>(['tcp', 'direct'])('a forwarded request over %s', (transport) => {
  let t: Awaited<ReturnType<typeof startFront>>
  const contexts: unknown[] = []

  beforeAll(async () => {
    t = await startFront(transport, (call) => handle(call))
    const note: RequestListener = ({ url }) => void (url !== alivePath && contexts.push(currentWaitBudget()))
    t.service.server.prependListener('request', note)
  })
  afterAll(() => t[Symbol.asyncDispose]())
  beforeEach(() => {
    handle = async () => ({})
    contexts.length = 0
  })

  it('carries the principal, trace, wait budget, and client address, and no context of the gateway', async () => {
    const seen: Record<string, unknown> = {}
    handle = async ({ request, principal }) => {
      const { requestId } = currentTrace()
      Object.assign(seen, { headers: request.headers, principal, requestId, leftMs: currentWaitBudget()?.leftMs })
      return { name: 'é' }
    }
    const { status, headers, body } = await read(
      t.ask('GET', '/api/json?limit=1', { 'x-tideport-principal': 'x' }).end(),
    )
    expect([status, body]).toEqual([200, { name: 'é' }])
    expect(seen.principal).toMatchObject({ kind: 'account', accountId: ACCOUNT_ID })
    expect(seen.requestId).toBe(headers['x-request-id'])
    expect(seen.leftMs).toBe(postgresWaitMs)
    expect(seen.headers).toMatchObject({
      [clientAddressHeader]: CLIENT_ADDRESS,
      [postgresWaitHeader]: String(postgresWaitMs),
      traceparent: expect.stringMatching(/^00-/),
    })
    expect(contexts).toEqual([undefined])
  })

  it.each([
    ['404', () => notFound(), 404, undefined],
    ['503 with Retry-After', () => new AppError('unavailable', 'Busy', { retryAfterSeconds: 7 }), 503, '7'],
    ['500', () => new Error('secret'), 500, undefined],
  ])('returns %s as the service sends it', async (_name, error, status, retryAfter) => {
    handle = async () => {
      throw error()
    }
    const got = await read(t.ask('GET', '/api/json').end())
    expect([got.status, got.headers['retry-after']]).toEqual([status, retryAfter])
    expect(got.body).toMatchObject({ code: expect.any(String), error: expect.not.stringContaining('secret') })
  })

  it('carries a JSON body, which the service validates and limits', async () => {
    handle = async ({ body }) => body
    const post = (text: string) => read(t.ask('POST', '/api/json', { 'content-type': 'application/json' }).end(text))
    expect((await post('{"name":"ü"}')).body).toEqual({ name: 'ü' })
    expect((await post('{"name":1}')).body).toMatchObject({ code: 'validation_failed', details: expect.anything() })
    expect((await post(JSON.stringify({ name: 'x'.repeat(70_000) }))).status).toBe(413)
  })

  it('carries many concurrent requests', async () => {
    handle = async ({ body }) => body
    const sent = Array.from({ length: 50 }, (_, index) => ({ name: `${index}`.repeat(1000) }))
    const post = (body: object) =>
      read(t.ask('POST', '/api/json', { 'content-type': 'application/json' }).end(JSON.stringify(body)))
    expect((await Promise.all(sent.map(post))).map(({ body }) => body)).toEqual(sent)
  })

  it('sends the head of a HEAD, a 304, and a range, and skips an interim response', async () => {
    handle = async ({ reply, request }) => {
      if (request.headers['if-none-match']) return reply.code(304).header('etag', '"a"').send()
      const range = { 'content-range': 'bytes 0-4/9', etag: '"a"', 'set-cookie': ['a=1', 'b=2'] }
      await new Promise<void>((resolve) => reply.raw.writeEarlyHints({ link: '</a>; rel=preload' }, resolve))
      return reply
        .code(206)
        .headers({ 'content-length': '5', ...range })
        .send(request.method === 'HEAD' ? undefined : 'hello')
    }
    for (const [method, text] of [
      ['HEAD', ''],
      ['GET', 'hello'],
    ] as const) {
      const got = await read(t.ask(method, '/api/bytes').end())
      expect([got.status, got.text]).toEqual([206, text])
      expect(got.headers).toMatchObject({ 'content-length': '5', 'content-range': 'bytes 0-4/9', etag: '"a"' })
      expect(got.headers['set-cookie']).toEqual(['a=1', 'b=2'])
    }
    const known = await read(t.ask('GET', '/api/bytes', { 'if-none-match': '"a"' }).end())
    expect([known.status, known.headers.etag, known.text]).toEqual([304, '"a"', ''])
  })

  it.each(framings)('sends an upload at the pace of the service (%s)', async (_name, headers) => {
    const go = Promise.withResolvers<void>()
    handle = async ({ request }) => {
      await go.promise
      const hash = createHash('sha256')
      for await (const chunk of bytesOf(request.raw, 60_000)) hash.update(chunk)
      return { sha256: hash.digest('hex') }
    }
    const outgoing = t.ask('PUT', '/api/bytes', headers)
    const hash = createHash('sha256')
    const finished = read(outgoing)
    let sentBytes = 0
    let isBlocked = false
    const send = async () => {
      for (; sentBytes < LARGE_BYTES; sentBytes += MIB) {
        const piece = Buffer.alloc(MIB, sentBytes / MIB)
        hash.update(piece)
        if (outgoing.write(piece)) continue
        isBlocked = true
        await once(outgoing, 'drain')
        isBlocked = false
      }
      outgoing.end()
    }
    const sent = send()
    await stable(() => isBlocked && sentBytes)
    expect(sentBytes).toBeLessThan(BUFFERED_MAX_BYTES)
    go.resolve()
    await sent
    expect((await finished).body).toEqual({ sha256: hash.digest('hex') })
  })

  it.each(framings)('sends a download at the pace of the client (%s)', async (_name, headers) => {
    let madeBytes = 0
    handle = async ({ reply }) => {
      reply.hijack()
      reply.raw.writeHead(200, headers)
      void (async () => {
        for (; madeBytes < LARGE_BYTES; madeBytes += MIB) {
          if (!reply.raw.write(Buffer.alloc(MIB, madeBytes / MIB))) await once(reply.raw, 'drain')
        }
        reply.raw.end()
      })()
    }
    const response = await responseTo(t.ask('GET', '/api/bytes').end())
    await stable(() => madeBytes)
    expect(madeBytes).toBeLessThan(BUFFERED_MAX_BYTES)
    const [got, wanted] = [createHash('sha256'), createHash('sha256')]
    for await (const chunk of response) got.update(chunk as Buffer)
    for (let index = 0; index < LARGE_BYTES / MIB; index++) wanted.update(Buffer.alloc(MIB, index))
    expect(got.digest('hex')).toBe(wanted.digest('hex'))
  })

  it('aborts the request of a client that disconnects while it waits, uploads, or downloads', async () => {
    const gone: string[] = []
    const noteClose = (name: string, { reply, request }: Call) =>
      reply.raw.once('close', () => {
        gone.push(`${name} ${reply.raw.writableFinished} ${reply.raw.destroyed} ${request.abort?.signal.aborted}`)
      })
    const begun: string[] = []
    handle = async (input) => {
      const name = `${input.request.method} ${input.request.url}`
      noteClose(name, input)
      begun.push(name)
      if (input.request.method === 'PUT') for await (const _ of bytesOf(input.request.raw, 60_000));
      if (input.request.url !== '/api/bytes') return await new Promise(() => {})
      input.reply.hijack()
      return input.reply.raw.writeHead(200, { 'content-length': '10' }).write('x')
    }
    const waiting = t
      .ask('GET', '/api/json')
      .on('error', () => {})
      .end()
    const uploading = t.ask('PUT', '/api/bytes', { 'content-length': String(MIB) }).on('error', () => {})
    uploading.write(Buffer.alloc(100_000))
    const downloading = await responseTo(t.ask('GET', '/api/bytes').end())
    downloading.on('error', () => {})
    await waitFor(() => begun.length === 3)
    for (const one of [waiting, uploading, downloading]) one.destroy()
    await waitFor(() => gone.length === 3)
    expect(gone.sort()).toEqual(
      ['GET /api/bytes', 'GET /api/json', 'PUT /api/bytes'].map((name) => `${name} false true true`),
    )
  })

  it.each([
    ['content-length', { 'content-length': '100' }],
    ['chunks', {}],
  ])('cuts off the response when the service fails inside the body (%s)', async (_name, headers) => {
    handle = async ({ reply }) => {
      reply.hijack()
      reply.raw.writeHead(200, headers).write('part')
      setImmediate(() => reply.raw.destroy())
    }
    const response = await responseTo(t.ask('GET', '/api/bytes').end())
    await expect(response.toArray()).rejects.toThrow('aborted')
    expect(response.complete).toBe(false)
  })

  it('is cut by the service when the client takes no bytes', async () => {
    const send: Handle = async ({ reply }) => {
      const pieces = Array.from({ length: 64 }, () => Buffer.alloc(MIB))
      await reply.header('content-length', LARGE_BYTES).send(Readable.from(pieces))
    }
    await using stalled = await startFront(transport, send, { streamStallSeconds: 0.3 })
    const response = await responseTo(stalled.ask('GET', '/api/bytes').end())
    response.pause()
    const closed = once(response.socket, 'close')
    await waitFor(async () =>
      (await stalled.metrics.render()).text.includes('tideport_stalled_answers_total{service="test"} 1'),
    )
    response.on('error', () => {}).resume()
    await closed
    expect(response.complete).toBe(false)
  })

  it('returns 503 when the service breaks off a write, and repeats a read once', async () => {
    let calls = 0
    handle = async ({ request }) => {
      calls += 1
      request.raw.socket.destroy()
      return await new Promise(() => {})
    }
    const post = t.ask('POST', '/api/json', { 'content-type': 'application/json' }).end('{"name":"a"}')
    expect([(await read(post)).status, calls]).toEqual([503, 1])
    expect([(await read(t.ask('GET', '/api/json').end())).status, calls]).toEqual([503, 3])
  })

  it('delivers a response that the service sends before the end of the upload', async () => {
    handle = async () => {
      throw new AppError('too_large', 'Too large')
    }
    const outgoing = t.ask('PUT', '/api/bytes', { 'content-length': String(LARGE_BYTES) }).on('error', () => {})
    outgoing.write(Buffer.alloc(MIB))
    const got = await read(outgoing)
    expect([got.status, got.body.code]).toEqual([413, 'too_large'])
    outgoing.destroy()
    handle = async () => ({})
    expect((await read(t.ask('GET', '/api/json').end())).status).toBe(200)
  })

  it('closes its connection with the response if the service requests it, and opens another', async () => {
    handle = async ({ reply }) => {
      reply.header('connection', 'close')
      return { large: 'x'.repeat(500_000) }
    }
    for (let index = 0; index < 3; index++) {
      expect((await read(t.ask('GET', '/api/json').end())).body.large).toHaveLength(500_000)
    }
  })

  it('returns 503 when all places of a lane are taken', async () => {
    const { places } = t.upstream.inTurn()[0]?.lanes.quick ?? expect.unreachable()
    using taken = new DisposableStack()
    for (let index = 0; index < 2048; index++) taken.defer(places.take())
    const got = await read(t.ask('GET', '/api/json').end())
    expect([got.status, got.body.code, Number(got.headers['retry-after']) > 0]).toEqual([503, 'unavailable', true])
  })

  it('finds the service reachable, and returns 503 once it has stopped', async () => {
    await using own = await startFront(transport, (call) => handle(call))
    expect(await own.upstream.isReachable()).toBe(true)
    expect((await read(own.ask('GET', '/api/json').end())).status).toBe(200)
    await own.stopService()
    expect(await own.upstream.isReachable()).toBe(false)
    for (const method of ['GET', 'POST']) {
      const got = await read(own.ask(method, '/api/json').end())
      expect([got.status, got.body.code, Number(got.headers['retry-after']) > 0]).toEqual([503, 'unavailable', true])
    }
  })
})
