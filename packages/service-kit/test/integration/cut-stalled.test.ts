import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { Readable } from 'node:stream'
import { endpoint } from '@tideport/contracts/endpoint/endpoint'
import { waitFor } from '@tideport/testing/wait-for'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { serve } from '../../src/http/route.ts'
import { createMetrics } from '../../src/telemetry/metrics.ts'
import { listen } from '../listen.ts'

const base = { service: 'files', summary: 'Test', access: 'public', errors: [], method: 'GET' } as const
const bytes = endpoint({ ...base, path: '/bytes', success: { status: 200, bytes: true } })
const list = endpoint({ ...base, path: '/list', success: { status: 200, schema: z.object({ text: z.string() }) } })
const late = endpoint({ ...base, path: '/late', success: { status: 200, schema: z.object({}) } })

/** More than the socket buffers of both sides hold. */
const LARGE_BYTES = 64 * 1024 * 1024

async function setup() {
  const metrics = createMetrics('test')
  const gate = Promise.withResolvers<void>()
  let open: Readable | undefined
  const routes = [
    serve(bytes, async ({ reply }) => {
      open = Readable.from(endless())
      return reply.send(open)
    }),
    serve(list, async () => ({ text: 'x'.repeat(LARGE_BYTES) })),
    serve(late, async () => {
      await gate.promise
      return {}
    }),
  ]
  const { app, port } = await listen(routes, { metrics, streamStallSeconds: 0.3 })
  return {
    gate,
    isSourceClosed: () => open?.closed,
    cuts: async () => Number(/^tideport_stalled_answers_total\S* (\d+)/m.exec((await metrics.render()).text)?.[1]),
    /** A connection that has requested this path. */
    ask(path: string) {
      const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true })
      socket.on('error', () => {})
      socket.write(`GET ${path} HTTP/1.1\r\nhost: x\r\nx-tideport-principal: x\r\n\r\n`)
      return socket
    },
    [Symbol.asyncDispose]: () => app.close(),
  }
}

async function* endless() {
  const piece = Buffer.alloc(64 * 1024)
  while (true) yield piece
}

describe('a response whose reader takes no bytes', () => {
  it.each<[string, string, (socket: Socket) => NodeJS.Timeout | undefined]>([
    ['and its source is closed', '/bytes', () => undefined],
    ['also when it is JSON', '/list', () => undefined],
    ['although its reader still sends', '/bytes', (socket) => setInterval(() => socket.write('G'), 50)],
    ['although its reader has closed its sending side', '/list', (socket) => void socket.end()],
  ])('is cut, %s', async (_, path, meanwhile) => {
    await using t = await setup()
    const socket = t.ask(path).pause()
    const drip = meanwhile(socket)
    await waitFor(async () => (await t.cuts()) === 1)
    if (path === '/bytes') await waitFor(() => t.isSourceClosed())
    clearInterval(drip)
    socket.destroy()
  })
})

it('a response that has not started may take longer than the limit', async () => {
  await using t = await setup()
  const socket = t.ask('/late')
  let isOpen = true
  socket.once('close', () => {
    isOpen = false
  })
  // This response stalls meanwhile, and shows when the limit has passed.
  t.ask('/bytes').pause()
  await waitFor(() => t.isSourceClosed())
  expect(isOpen).toBe(true)
  t.gate.resolve()
  const [answer] = await once(socket, 'data')
  expect(String(answer)).toMatch(/^HTTP\/1.1 200 /)
  socket.destroy()
})
