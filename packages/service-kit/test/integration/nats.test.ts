import { createServer } from 'node:net'
import { listenOnLoopback } from '@tideport/testing/loopback-server'
import { startNats } from '@tideport/testing/nats'
import { waitFor } from '@tideport/testing/wait-for'
import { describe, expect, it } from 'vitest'
import { connectNats } from '../../src/nats/nats.ts'
import { createLogger } from '../../src/telemetry/logger.ts'

const never = new AbortController().signal

function link(url: string) {
  const lines: string[] = []
  const log = createLogger({ service: 'test', level: 'info', destination: { write: (line) => void lines.push(line) } })
  return Object.assign(connectNats({ natsUrl: [url], name: 'test', log }), { lines })
}

describe('connectNats', () => {
  it('starts without a broker, rejects work as unavailable, and connects automatically', async () => {
    await using nats = await startNats()
    await nats.stop()
    await using t = link(nats.url)
    await waitFor(() => t.lines.some((line) => line.includes('broker cannot be reached')))
    expect(t.connection()).toBeNull()
    expect(() => t.jetstream()).toThrow(expect.objectContaining({ code: 'unavailable' }))
    await nats.start()
    expect(await t.connected(never)).toBe(t.connection())
    expect(t.jetstream()).toBeDefined()
  })

  it('logs in with the credentials in its address, and is rejected without them', async () => {
    await using nats = await startNats({ login: { user: 'tideport', password: 'p@ss/wörd' } })
    const address = nats.url.replace('nats://', `nats://tideport:${encodeURIComponent('p@ss/wörd')}@`)
    await using t = link(address)
    await t.connected(never)
    await using stranger = link(nats.url)
    await waitFor(() => stranger.lines.some((line) => line.includes('broker cannot be reached')))
    expect(stranger.connection()).toBeNull()
    expect(t.lines.join()).not.toContain('wörd')
  })

  it('does not connect to a server without TLS if its address requires TLS', async () => {
    await using nats = await startNats()
    await using t = link(nats.url.replace('nats://', 'tls://tideport:secret@'))
    await waitFor(() => t.lines.some((line) => line.includes('broker cannot be reached')))
    expect(t.connection()).toBeNull()
    expect(t.lines.join()).toContain("server does not support 'tls'")
  })

  it('detects a lost broker, and notifies every listener of the next connection', async () => {
    await using nats = await startNats()
    await using t = link(nats.url)
    let connects = 0
    t.onConnect(() => (connects += 1))
    await t.connected(never)
    expect(connects).toBe(1)
    await nats.kill()
    await waitFor(() => t.connection() === null)
    await nats.start()
    await t.connected(never)
    expect(connects).toBe(2)
    t.onConnect(() => (connects += 1))
    expect(connects).toBe(3)
  })

  it('stops waiting when its signal aborts or it is disposed', async () => {
    await using nats = await startNats()
    await nats.stop()
    await using t = link(nats.url)
    const stop = new AbortController()
    const waiting = t.connected(stop.signal)
    stop.abort(new Error('enough'))
    await expect(waiting).rejects.toThrow('enough')
    const disposed = t.connected(never)
    await Promise.all([expect(disposed).rejects.toThrow(), t[Symbol.asyncDispose]()])
  })

  it('sends buffered messages before it closes', async () => {
    await using nats = await startNats()
    const received: string[] = []
    const watcher = await nats.connect()
    watcher.subscribe('news', { callback: (_, message) => void received.push(message.string()) })
    await watcher.flush()
    const t = link(nats.url)
    const connection = await t.connected(never)
    connection.publish('news', 'last words')
    await t[Symbol.asyncDispose]()
    expect(connection.isClosed()).toBe(true)
    await waitFor(() => received.includes('last words'))
  })

  it('rejects a server older than 2.10, and logs the reason', async () => {
    await using server = await startOldServer()
    await using t = link(server.url)
    await waitFor(() => t.lines.some((line) => line.includes('nats-server 2.9.10 is too old')))
    expect(t.connection()).toBeNull()
  })
})

/** Only the greeting of an old server, because the old version cannot be installed alongside the tested one. */
async function startOldServer() {
  const server = createServer((socket) => {
    socket.on('error', () => socket.destroy())
    socket.write('INFO {"server_id":"old","version":"2.9.10","max_payload":1048576,"headers":true}\r\n')
    socket.on('data', (data) => {
      if (data.includes('PING')) socket.write('PONG\r\n')
    })
  })
  return {
    url: `nats://127.0.0.1:${await listenOnLoopback(server)}`,
    [Symbol.asyncDispose]: () => new Promise<void>((resolve) => server.close(() => resolve())),
  }
}
