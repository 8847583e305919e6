import { once } from 'node:events'
import { Agent, get, type IncomingMessage, type ServerResponse } from 'node:http'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { setUpOnce } from '@tideport/testing/set-up-once'
import { waitFor } from '@tideport/testing/wait-for'
import { afterAll, beforeEach, describe, expect, it } from 'vitest'
import { startDoor, startGateway } from '../bundle.ts'

const publicFile = '/api/public/files/0198f2a0-0000-7000-8000-000000000001'
/** Keeps its connections open as long as the gateway does. */
const agent = new Agent({ keepAlive: true })
const door = setUpOnce(() => startDoor())
afterAll(() => agent.destroy())

/** Starts a download and returns the open response. */
async function open(path: string): Promise<IncomingMessage> {
  const outgoing = get(door.gateway.url + path, { agent: false })
  const [response] = await once(outgoing, 'response')
  return response as IncomingMessage
}

describe('a streamed response', () => {
  it('waits for a slow client instead of filling the gateway', async () => {
    const sizeBytes = 200 * 1024 * 1024
    const chunk = Buffer.alloc(64 * 1024, 7)
    let sentBytes = 0
    const pump = (response: ServerResponse) => {
      while (sentBytes < sizeBytes) {
        sentBytes += chunk.length
        if (!response.write(chunk)) return void response.once('drain', () => pump(response))
      }
      response.end()
    }
    door.files.answerWith((_request, response) =>
      pump(response.writeHead(200, { 'content-length': String(sizeBytes) })),
    )
    const response = await open(publicFile)
    response.pause()
    // Stalled: the sent bytes fill the socket buffers, and the client reads no more.
    let before = -1
    const isStalled = () => {
      const stalled = before === sentBytes
      before = sentBytes
      return stalled
    }
    await waitFor(isStalled, { everyMs: 300 })
    expect(sentBytes).toBeLessThan(40 * 1024 * 1024)
    let receivedBytes = 0
    for await (const part of response) receivedBytes += part.length
    expect(receivedBytes).toBe(sizeBytes)
  })

  it.each(['chunked', 'with a length'])('keeps every byte unchanged (%s)', async (how) => {
    const bytes = Buffer.from(Array.from({ length: 1024 }, (_, index) => index % 256))
    door.files.answerWith((_request, response) => {
      response.writeHead(200, how === 'chunked' ? {} : { 'content-length': String(bytes.length) }).end(bytes)
    })
    const response = await fetch(door.gateway.url + publicFile)
    expect(Buffer.from(await response.arrayBuffer())).toEqual(bytes)
  })

  it.each(['chunked', 'with a length'])(
    'closes the connection when cut off in the middle (%s), so that it never looks complete',
    async (how) => {
      door.files.answerWith((_request, response) => {
        response.writeHead(200, how === 'chunked' ? {} : { 'content-length': '1000000' })
        response.write('x'.repeat(5000), () => setImmediate(() => response.destroy()))
      })
      const response = await open(publicFile)
      response.resume()
      const [error] = await once(response, 'error')
      expect(error).toMatchObject({ code: 'ECONNRESET' })
      expect(response.complete).toBe(false)
    },
  )

  it('ends at the service when the client disconnects', async () => {
    const gone = Promise.withResolvers<boolean>()
    door.files.answerWith((_request, response) => {
      response.once('close', () => gone.resolve(!response.writableFinished))
      response.write('first')
    })
    const response = await open(publicFile)
    await once(response, 'data')
    response.destroy()
    expect(await gone.promise).toBe(true)
  })

  it('is aborted when the client disconnects before it begins', async () => {
    const [asked, gone] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    door.files.answerWith((_request, response) => {
      response.once('close', gone.resolve)
      asked.resolve()
    })
    const outgoing = get(door.gateway.url + publicFile, { agent: false }).on('error', () => {})
    await asked.promise
    outgoing.destroy()
    await gone.promise
  })

  it('logs no error when the client disconnects', async () => {
    door.files.answerWith((_request, response) => response.write('first'))
    const response = await open(publicFile)
    await once(response, 'data')
    response.destroy()
    await waitFor(() => door.gateway.printed().includes('"isCutShort":true'))
    expect(door.gateway.printed()).not.toMatch(/"level":"(error|fatal)"|request not served/)
  })
})

it('finishes requests in progress on a stop, whether or not their responses have begun, and then exits', async () => {
  const stopping = await startGateway({ AUTH_URL: door.auth.url, FILES_URL: door.files.url })
  const held: ServerResponse[] = []
  door.files.answerWith((_request, response) => {
    if (held.push(response) === 1) response.write('well ')
  })
  const silent = connect(Number(new URL(stopping.url).port), '127.0.0.1')
  await once(silent, 'connect')
  const ask = () => once(get(stopping.url + publicFile, { agent }), 'response')
  const begun = ask()
  await begun
  const waiting = ask()
  await waitFor(() => held.length === 2)
  const ended = stopping.stop()
  await waitFor(() =>
    fetch(`${stopping.url}/ready`).then(
      () => false,
      () => true,
    ),
  )
  const textOf = async (answered: typeof begun) => await text((await answered)[0])
  held[0]?.end('done')
  expect(await textOf(begun)).toBe('well done')
  held[1]?.end('done')
  expect(await textOf(waiting)).toBe('done')
  // The gateway does not wait for idle connections, nor for clients that sent no request.
  expect(await ended).toEqual({ code: 0, signal: null })
  silent.destroy()
})

describe('a process that is stopping', () => {
  /** More than all buffers on the path hold. */
  const sizeBytes = 64 * 1024 * 1024
  const piece = Buffer.alloc(64 * 1024, 7)
  /** Downloads that the service is still sending. */
  const sending = new Set<ServerResponse>()
  const start = (drainSeconds = '600') =>
    startGateway({ ...door.env, FILES_URL: door.files.url, SHUTDOWN_SECONDS: '2', STREAM_DRAIN_SECONDS: drainSeconds })

  beforeEach(() => {
    door.files.answerWith((_request, response) => {
      sending.add(response.writeHead(200, { 'content-length': sizeBytes }))
      response.once('close', () => sending.delete(response))
      let sentBytes = 0
      const pump = () => {
        while (sentBytes < sizeBytes) {
          sentBytes += piece.length
          if (!response.write(piece)) return void response.once('drain', pump)
        }
        response.end()
      }
      pump()
    })
  })

  /** A download that has begun and is paused. */
  async function pauseDownload(url: string): Promise<IncomingMessage> {
    const [response] = await once(get(url + publicFile, { agent: false }), 'response')
    return (response as IncomingMessage).on('error', () => undefined).pause()
  }

  it('sends the complete file to a reader that is slower than SHUTDOWN_SECONDS', async () => {
    await using gateway = await start()
    const download = await pauseDownload(gateway.url)
    const ended = gateway.stop()
    await gateway.line('stopping, except for responses in progress')
    await expect(fetch(`${gateway.url}/api/vaults`)).rejects.toThrow() // new requests are rejected
    expect((await fetch(`${gateway.adminUrl}/ready`)).status).toBe(503)
    let receivedBytes = 0
    for await (const part of download) receivedBytes += part.length
    expect(receivedBytes).toBe(sizeBytes)
    expect(await ended).toEqual({ code: 0, signal: null })
  })

  it('cuts off a reader that is slower than STREAM_DRAIN_SECONDS, logs this, and exits cleanly', async () => {
    await using gateway = await start('3')
    const download = await pauseDownload(gateway.url)
    expect(await gateway.stop()).toEqual({ code: 0, signal: null })
    expect(await gateway.line('cutting the responses that are still in progress')).toMatchObject({ count: 1 })
    await expect(download.toArray()).rejects.toThrow('aborted')
    await waitFor(() => sending.size === 0)
  })

  it('waits until clients have read all written bytes, also those written before the stop: the pod takes kernel buffers with it', async () => {
    await using gateway = await start()
    const small = Buffer.alloc(256 * 1024, 7)
    const isServed = (count: number) => gateway.lines().filter(({ msg }) => msg === 'request served').length === count
    door.files.answerWith((_request, response) => {
      response.writeHead(200, { 'content-length': small.length }).end(small)
    })
    const [kept] = (await once(get(gateway.url + publicFile, { agent }), 'response')) as [IncomingMessage]
    kept.pause()
    await waitFor(() => isServed(1))
    let end = () => {}
    door.files.answerWith((_request, response) => {
      response.writeHead(200, { 'content-length': small.length }).write(small.subarray(1))
      end = () => response.end('\x07')
    })
    const download = await pauseDownload(gateway.url)
    const ended = gateway.stop()
    await gateway.line('stopping')
    end()
    await waitFor(() => isServed(2))
    expect(await gateway.line('stopping, except for responses in progress')).toMatchObject({ count: 2 })
    for (const one of [kept, download]) expect(Buffer.concat(await one.toArray()).equals(small)).toBe(true)
    expect(await ended).toEqual({ code: 0, signal: null })
  })
})
