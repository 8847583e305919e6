import { once } from 'node:events'
import { Agent, get, type IncomingMessage, type ServerResponse } from 'node:http'
import { waitFor } from '@tideport/testing/wait-for'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { startDoor, startGateway } from '../bundle.ts'

const publicFile = '/api/public/files/0198f2a0-0000-7000-8000-000000000001'
/** More than all buffers on the way hold. */
const sizeBytes = 64 * 1024 * 1024
const piece = Buffer.alloc(64 * 1024, 7)
let door: Awaited<ReturnType<typeof startDoor>>
/** Downloads that the service still sends. */
const open = new Set<ServerResponse>()

beforeAll(async () => {
  door = await startDoor()
  door.files.answerWith((_request, response) => {
    open.add(response.writeHead(200, { 'content-length': sizeBytes }))
    response.once('close', () => open.delete(response))
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
afterAll(() => door[Symbol.asyncDispose]())

const start = (env: Record<string, string>) =>
  startGateway({ ...door.env, FILES_URL: door.files.url, SHUTDOWN_SECONDS: '2', ...env })

/** A download that has begun and is not read on. */
async function pauseDownload(url: string): Promise<IncomingMessage> {
  const [response] = await once(get(url + publicFile, { agent: false }), 'response')
  return (response as IncomingMessage).on('error', () => undefined).pause()
}

it('a reader who is slower than SHUTDOWN_SECONDS gets its whole file from a process that was told to stop', async () => {
  await using gateway = await start({ STREAM_DRAIN_SECONDS: '600' })
  const download = await pauseDownload(gateway.url)
  const ended = gateway.stop()
  await gateway.line('stopping, except for answers under way')
  await expect(fetch(`${gateway.url}/api/vaults`)).rejects.toThrow() // new requests have moved on
  expect((await fetch(`${gateway.adminUrl}/ready`)).status).toBe(503)
  let receivedBytes = 0
  for await (const part of download) receivedBytes += part.length
  expect(receivedBytes).toBe(sizeBytes)
  expect(await ended).toEqual({ code: 0, signal: null })
})

it('a reader who is slower than STREAM_DRAIN_SECONDS is cut, which is said, and the process ends in peace', async () => {
  await using gateway = await start({ STREAM_DRAIN_SECONDS: '3' })
  const download = await pauseDownload(gateway.url)
  expect(await gateway.stop()).toEqual({ code: 0, signal: null })
  expect(await gateway.line('cutting the answers that are still under way')).toMatchObject({ count: 1 })
  await expect(download.toArray()).rejects.toThrow('aborted')
  await waitFor(() => open.size === 0)
})

it('what was written but not read yet is waited for, too: the kernel’s part goes with the pod', async () => {
  await using gateway = await start({ STREAM_DRAIN_SECONDS: '600' })
  const small = Buffer.alloc(256 * 1024, 7)
  let end = () => {}
  door.files.answerWith((_request, response) => {
    response.writeHead(200, { 'content-length': small.length }).write(small.subarray(1))
    end = () => response.end('\x07')
  })
  const download = await pauseDownload(gateway.url)
  const ended = gateway.stop()
  await gateway.line('stopping')
  end()
  await gateway.line('request served')
  await gateway.line('stopping, except for answers under way')
  expect(Buffer.concat(await download.toArray()).equals(small)).toBe(true)
  expect(await ended).toEqual({ code: 0, signal: null })
})

it('and so is what was answered before the stop, on a connection that is kept', async () => {
  await using gateway = await start({ STREAM_DRAIN_SECONDS: '600' })
  const small = Buffer.alloc(256 * 1024, 7)
  door.files.answerWith((_request, response) => {
    response.writeHead(200, { 'content-length': small.length }).end(small)
  })
  const agent = new Agent({ keepAlive: true })
  const [download] = (await once(get(gateway.url + publicFile, { agent }), 'response')) as [IncomingMessage]
  download.pause()
  await gateway.line('request served')
  const ended = gateway.stop()
  await gateway.line('stopping, except for answers under way')
  expect(Buffer.concat(await download.toArray()).equals(small)).toBe(true)
  expect(await ended).toEqual({ code: 0, signal: null })
})
