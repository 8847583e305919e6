import { AsyncLocalStorage } from 'node:async_hooks'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type RequestListener, type Server } from 'node:http'
import type { Socket } from 'node:net'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { createLogger } from '@tideport/service-kit/telemetry/logger'
import { createMetrics } from '@tideport/service-kit/telemetry/metrics'
import { closeAtOnce, listenOnLoopback } from '@tideport/testing/loopback-server'
import { waitFor } from '@tideport/testing/wait-for'
import { describe, expect, it } from 'vitest'
import { isBrokenConnection, isNotConnected } from '../../src/upstream/connection-failure.ts'
import { type Backend, createUpstream } from '../../src/upstream/upstream.ts'

const MIB = 1024 * 1024
const large = Buffer.alloc(32 * MIB, 'tideport')
const digest = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex')
const caller = new AsyncLocalStorage<string>()

/** A server as an upstream, at a port or in this process. */
async function open(transport: 'TCP' | 'memory', respond: RequestListener) {
  const server: Server = createServer(respond)
  let connections = 0
  server.on('connection', () => (connections += 1))
  const port = transport === 'TCP' ? await listenOnLoopback(server) : 0
  const [log, metrics] = [createLogger({ service: 'gateway', level: 'silent' }), createMetrics('gateway')]
  const urls = [`http://127.0.0.1:${port}`]
  const upstream = createUpstream({ name: 'files', urls, direct: transport === 'memory' ? () => server : null, log, metrics }) // biome-ignore format: one line
  const { lanes } = upstream.inTurn()[0] as Backend
  return {
    server,
    upstream,
    connections: () => connections,
    pool: lanes.bytes.pool,
    async [Symbol.asyncDispose]() {
      if (transport === 'TCP') await closeAtOnce(server)
      else server.closeAllConnections()
      await upstream[Symbol.asyncDispose]()
    },
  }
}

describe.each(['TCP', 'memory'] as const)('a request to a service over %s', (transport) => {
  it('delivers method, path, headers, and body unchanged in both directions', async () => {
    await using t = await open(transport, async (request, response) => {
      const { method, url, headers } = request
      const body = (await buffer(request)).toString()
      response.writeHead(207, { 'x-names': ['a', 'b'], etag: '"é"' })
      response.end(JSON.stringify({ method, url, headers, body }))
    })
    const request = { method: 'PUT', path: '/a%20b?c=%2F', headers: { 'x-own': 'é', 'if-match': '"1"' }, body: 'text' } as const // biome-ignore format: one line
    const { statusCode, headers, body } = await t.pool.request(request)
    expect(statusCode).toBe(207)
    expect(headers).toMatchObject({ 'x-names': ['a', 'b'] })
    expect(await body.json()).toMatchObject({
      ...{ method: 'PUT', url: '/a%20b?c=%2F', body: 'text' },
      headers: { 'x-own': 'é', 'if-match': '"1"', 'content-length': '4' },
    })
  })

  it('returns the headers of a HEAD without a body, and uses the connection again', async () => {
    await using t = await open(transport, (_request, response) => {
      response.writeHead(200, { 'content-length': '1000' }).end()
    })
    for (let count = 0; count < 3; count++) {
      const { headers, body } = await t.pool.request({ method: 'HEAD', path: '/', reset: false })
      expect(headers['content-length']).toBe('1000')
      expect(await body.text()).toBe('')
      // The connection is free in the next turn of the event loop.
      await new Promise(setImmediate)
    }
    expect(t.connections()).toBe(1)
  })

  it('streams a large body to a service that reads it later, and buffers only a part meanwhile', async () => {
    const isRead = Promise.withResolvers<void>()
    await using t = await open(transport, async (request, response) => {
      await isRead.promise
      response.end(digest(await buffer(request)))
    })
    let sent = 0
    async function* chunks() {
      for (let at = 0; at < large.length; at += 64 * 1024) {
        sent = at
        yield large.subarray(at, at + 64 * 1024)
      }
    }
    const answer = t.pool.request({ method: 'PUT', path: '/', body: Readable.from(chunks()) })
    await settled(() => sent)
    expect(sent).toBeLessThan(large.length / 2)
    isRead.resolve()
    expect(await (await answer).body.text()).toBe(digest(large))
  })

  it('streams a large body to a slow reader, and buffers only a part meanwhile', async () => {
    let sent = 0
    await using t = await open(transport, async (_request, response) => {
      response.writeHead(200, { 'content-length': large.length, connection: 'close' })
      for (let at = 0; at < large.length; at += 64 * 1024) {
        sent = at
        if (!response.write(large.subarray(at, at + 64 * 1024))) await once(response, 'drain')
      }
      response.end()
    })
    const { body } = await t.pool.request({ method: 'GET', path: '/' })
    await settled(() => sent)
    expect(sent).toBeLessThan(large.length / 2)
    expect(digest(Buffer.from(await body.arrayBuffer()))).toBe(digest(large))
  })

  it('delivers all bytes when the service closes the connection right after the response', async () => {
    await using t = await open(transport, (request, response) => {
      response.writeHead(200, { connection: 'close' }).end(large.subarray(0, MIB))
      response.once('finish', () => request.socket.destroySoon())
    })
    const { body } = await t.pool.request({ method: 'GET', path: '/' })
    expect((await body.arrayBuffer()).byteLength).toBe(MIB)
  })

  it('fails if the service breaks the connection before the end of a response', async () => {
    await using t = await open(transport, (request, response) => {
      if (request.url === '/headers') return void request.socket.destroy()
      response.writeHead(200, { 'content-length': 100 }).write('part')
      setImmediate(() => request.socket.destroy())
    })
    const early = await t.pool.request({ method: 'GET', path: '/headers' }).catch((error: unknown) => error)
    expect(isBrokenConnection(early)).toBe(true)
    const { body } = await t.pool.request({ method: 'GET', path: '/' })
    expect(isBrokenConnection(await body.text().catch((error: unknown) => error))).toBe(true)
  })

  it('shows the service that the caller has aborted, before and during the response', async () => {
    const received: string[] = []
    const aborted: string[] = []
    await using t = await open(transport, (request, response) => {
      received.push(request.url ?? '')
      response.once('close', () => void (response.writableFinished || aborted.push(request.url ?? '')))
      if (request.url === '/body') response.writeHead(200).write(large)
    })
    for (const path of ['/headers', '/body']) {
      const stop = new AbortController()
      const answer = t.pool.request({ method: 'GET', path, signal: stop.signal })
      if (path === '/body') (await answer).body.on('error', () => {})
      await waitFor(() => received.includes(path))
      stop.abort()
      await answer.catch(() => {})
      await waitFor(() => aborted.includes(path), { what: `the service to notice the abort of ${path}` })
    }
  })

  it('runs the service outside the context of the caller', async () => {
    const seen: unknown[] = []
    await using t = await open(transport, async (request, response) => {
      seen.push(caller.getStore())
      await buffer(request)
      seen.push(caller.getStore())
      response.end()
    })
    for (const name of ['first', 'second']) {
      await caller.run(name, async () => {
        const { body } = await t.pool.request({ method: 'PUT', path: '/', body: Readable.from(['a', 'b']) })
        await body.text()
        expect(caller.getStore()).toBe(name)
      })
    }
    expect(seen).toEqual(Array.from({ length: 4 }))
  })

  it('runs the service outside the context of the caller while a slow caller reads', async () => {
    const seen = new Set<unknown>()
    await using t = await open(transport, async (_request, response) => {
      for (let at = 0; at < large.length; at += 64 * 1024) {
        if (response.write(large.subarray(at, at + 64 * 1024))) continue
        await new Promise<void>((resolve) => {
          // An event has the context of its emitter.
          response.once('drain', () => resolve(void seen.add(caller.getStore())))
        })
      }
      response.end()
    })
    await caller.run('caller', async () => {
      const { body } = await t.pool.request({ method: 'GET', path: '/' })
      for await (const _ of body) await new Promise(setImmediate)
    })
    expect([...seen]).toEqual([undefined])
  })

  it('shows the service how many bytes the caller has taken, and closes a connection without activity in time', async () => {
    const taken: number[] = []
    let socket: Socket | undefined
    await using t = await open(transport, async (request, response) => {
      socket = request.socket
      response.writeHead(200, { 'content-length': large.length })
      for (let at = 0; at < 10 * MIB; at += MIB) {
        response.write(large.subarray(at, at + MIB))
        await new Promise(setImmediate)
        taken.push(request.socket.bytesWritten - request.socket.writableLength)
      }
    })
    const { body } = await t.pool.request({ method: 'GET', path: '/' })
    body.on('error', () => {})
    await waitFor(() => taken.length === 10)
    expect(taken).toEqual(taken.toSorted((one, other) => one - other))
    const closed = Promise.withResolvers<void>()
    socket?.setTimeout(10, () => socket?.destroy()).once('close', closed.resolve)
    await closed.promise
    body.destroy()
  })

  it('is refused like a closed port if the service has not started', async () => {
    await using t = await open('TCP', () => {})
    await closeAtOnce(t.server)
    const [log, metrics] = [createLogger({ service: 'gateway', level: 'silent' }), createMetrics('gateway')]
    await using starting = createUpstream({ name: 'files', urls: [], direct: () => undefined, log, metrics })
    const upstream = transport === 'TCP' ? t.upstream : starting
    const { lanes } = upstream.inTurn()[0] as Backend
    const failure = await lanes.quick.pool.request({ method: 'GET', path: '/' }).catch((error: unknown) => error)
    expect(isNotConnected(failure)).toBe(true)
    expect(await upstream.isReachable()).toBe(false)
  })
})

/** Resolves when the number has not changed for some turns of the event loop, after it has changed once. */
async function settled(read: () => number): Promise<void> {
  await waitFor(() => read() > 0)
  for (let last = -1; last !== read(); ) {
    last = read()
    for (let turn = 0; turn < 200; turn++) await new Promise(setImmediate)
  }
}
