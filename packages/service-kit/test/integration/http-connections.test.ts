import { once } from 'node:events'
import { connect } from 'node:net'
import { PassThrough } from 'node:stream'
import { endpoint } from '@tideport/contracts/endpoint/endpoint'
import { waitFor } from '@tideport/testing/wait-for'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { serve } from '../../src/http/route.ts'
import { listen } from '../listen.ts'

const base = { service: 'files', summary: 'Test', access: 'public', errors: [] } as const
const slow = endpoint({
  ...base,
  method: 'POST',
  path: '/slow',
  success: { status: 200, schema: z.object({ isAborted: z.boolean() }) },
})
const patient = endpoint({ ...base, method: 'GET', path: '/patient', success: { status: 200, schema: z.object({}) } })
const stream = endpoint({ ...base, method: 'GET', path: '/stream', success: { status: 200, bytes: true } })

async function setup() {
  const stop = new AbortController()
  const gate = Promise.withResolvers<void>()
  const source = new PassThrough()
  const state = { signal: null as AbortSignal | null }
  const routes = [
    serve(slow, async ({ signal }) => {
      state.signal = signal
      await gate.promise
      return { isAborted: signal.aborted }
    }),
    serve(patient, async ({ signal }) => {
      state.signal = signal
      await new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason), { once: true }))
      return {}
    }),
    serve(stream, async ({ reply }) => reply.send(source)),
  ]
  const { app, port } = await listen(routes, { signal: stop.signal })
  const url = `http://127.0.0.1:${port}`
  const headers = { 'x-tideport-principal': 'x' }
  return {
    app,
    stop,
    gate,
    source,
    state,
    port,
    callSlow: () => fetch(`${url}/slow`, { method: 'POST', headers }),
    callPatient: () => fetch(`${url}/patient`, { headers }),
    callStream: (signal: AbortSignal) => fetch(`${url}/stream`, { headers, signal }),
    async [Symbol.asyncDispose]() {
      gate.resolve()
      source.destroy()
      await app.close()
    },
  }
}

describe('a client that disconnects', () => {
  it('closes the stream that was being sent to it', async () => {
    await using t = await setup()
    const client = new AbortController()
    t.source.write('first bytes')
    await t.callStream(client.signal)
    client.abort()
    await waitFor(() => t.source.destroyed)
  })
})

describe('a stream that breaks', () => {
  it('breaks the connection, so a partial response never looks complete', async () => {
    await using t = await setup()
    t.source.write('first bytes')
    const answer = await t.callStream(new AbortController().signal)
    t.source.destroy(new Error('gone'))
    await expect(answer.text()).rejects.toThrow()
  })
})

describe('a stopping server', () => {
  it('aborts the signals of its requests, sends their responses, and closes their connections', async () => {
    await using t = await setup()
    const call = t.callSlow()
    await waitFor(() => t.state.signal)
    t.stop.abort()
    const closed = t.app.close()
    t.gate.resolve()
    const answer = await call
    expect(await answer.json()).toEqual({ isAborted: true })
    await closed // resolves only when all connections are closed, and fetch would keep this one open
  })

  it('returns 503 if a handler throws the reason of its signal', async () => {
    await using t = await setup()
    const call = t.callPatient()
    await waitFor(() => t.state.signal)
    t.stop.abort()
    const answer = await call
    expect(answer.status).toBe(503)
    expect(await answer.json()).toMatchObject({ code: 'unavailable' })
    expect(answer.headers.has('retry-after')).toBe(true)
  })
})

describe('request bodies', () => {
  it.each(['application/json', 'text/plain'])('are absent if they are chunked, empty, and of type %s', async (type) => {
    await using t = await setup()
    t.gate.resolve()
    const socket = connect(t.port, '127.0.0.1')
    socket.write(
      `POST /slow HTTP/1.1\r\nhost: x\r\nconnection: close\r\nx-tideport-principal: x\r\ncontent-type: ${type}\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n`,
    )
    let answer = ''
    socket.on('data', (data) => (answer += data.toString()))
    await once(socket, 'close')
    expect(answer).toMatch(/^HTTP\/1.1 200 /)
  })
})
