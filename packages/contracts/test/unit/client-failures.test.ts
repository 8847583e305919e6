import type { ServerResponse } from 'node:http'
import { describe, expect, it, vi } from 'vitest'
import { ApiError } from '../../src/client/api-error.ts'
import { createClient } from '../../src/client/create-client.ts'
import { type Api, failureOf, json, startApi } from '../start-api.ts'

const fileId = '01890a5d-ac96-774b-bcce-b302099a8057'
const clientOf = ({ baseUrl }: Api) => createClient({ baseUrl, credentials: null })

describe('a refusal', () => {
  const details = { issues: [{ path: 'name', message: 'Too long' }] }
  it.each([
    ['says all that the service says', { details }, { 'x-request-id': 'r-1', 'retry-after': '17' }],
    ['has null for what was not said', {}, {}],
    ['may have a code that this version does not know', { code: 'too_rainy', details: 'none' }, {}],
  ])('%s', async (_, more: { code?: string; details?: unknown }, headers: Record<string, string>) => {
    const said = { error: 'Too many', code: 'rate_limited', ...more }
    await using server = await startApi(json(429, said, headers))
    const error = await failureOf(clientOf(server).readFile({ params: { fileId } }))
    expect(error).toBeInstanceOf(ApiError)
    expect(error).toMatchObject({
      ...{ status: 429, message: 'Too many', code: said.code },
      details: more.details === details ? details : null,
      requestId: headers['x-request-id'] ?? null,
      retryAfterSeconds: 'retry-after' in headers ? 17 : null,
    })
  })

  it.each(['<html>502</html>', '', '{}', '[]', 'null'])('of a proxy, %j, has a status and no code', async (body) => {
    const retry = { 'retry-after': 'Fri, 31 Dec 1999 23:59:59 GMT' }
    await using server = await startApi((_, response) => response.writeHead(502, retry).end(body))
    const error = await failureOf(clientOf(server).listFiles())
    expect(error).toBeInstanceOf(ApiError)
    expect(error).toMatchObject({ status: 502, code: null, retryAfterSeconds: null })
  })

  it('of bytes is the same error', async () => {
    await using server = await startApi(json(410, { error: 'Lost', code: 'content_lost' }))
    const error = await failureOf(clientOf(server).publicFileBytes({ params: { fileId } }))
    expect(error).toMatchObject({ status: 410, code: 'content_lost' })
  })
})

describe('timeouts', () => {
  const half = (_: unknown, response: ServerResponse) => response.writeHead(200).write('{"files":[')

  it.each([
    ['there is no answer', () => {}],
    ['it does not end', half],
  ])('ends with a TimeoutError where %s', async (_, answer) => {
    await using server = await startApi(answer)
    const client = createClient({ baseUrl: server.baseUrl, credentials: null, timeoutMs: 60_000 })
    expect(await failureOf(client.listFiles({}, { timeoutMs: 50 }))).toMatchObject({ name: 'TimeoutError' })
  })

  it('is that of the client where a call says nothing', async () => {
    await using server = await startApi(() => {})
    const client = createClient({ baseUrl: server.baseUrl, credentials: null, timeoutMs: 50 })
    expect(await failureOf(client.listFiles())).toMatchObject({ name: 'TimeoutError' })
  })

  it('is over when bytes begin: they take as long as they take', async () => {
    let finish = () => {}
    await using server = await startApi((_, response) => {
      response.writeHead(200).write('first ')
      finish = () => response.end('last')
    })
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    try {
      const answer = await clientOf(server).publicFileBytes({ params: { fileId } }, { timeoutMs: 1000 })
      expect(vi.getTimerCount()).toBe(0)
      vi.advanceTimersByTime(60_000)
      finish()
      expect(await answer.text()).toBe('first last')
    } finally {
      vi.useRealTimers()
    }
  })

  it('ends when the caller says so, at any time: before, in between, and while bytes come', async () => {
    await using server = await startApi((_, response) => response.writeHead(200).write('first'))
    const client = clientOf(server)
    const reason = new Error('Enough')
    expect(await failureOf(client.listFiles({}, { signal: AbortSignal.abort(reason) }))).toBe(reason)
    expect(server.seen).toEqual([])

    const asking = new AbortController()
    const asked = failureOf(client.listFiles({}, { signal: asking.signal, timeoutMs: 60_000 }))
    await expect.poll(() => server.seen.length).toBe(1)
    asking.abort(reason)
    expect(await asked).toBe(reason)

    const reading = new AbortController()
    const answer = await client.publicFileBytes({ params: { fileId } }, { signal: reading.signal, timeoutMs: 60_000 })
    reading.abort(reason)
    expect(await failureOf(answer.text())).toBe(reason)
  })

  it('is not needed where nobody listens: the error is that of fetch', async () => {
    const server = await startApi(() => {})
    await server[Symbol.asyncDispose]()
    const error = await failureOf(clientOf(server).listFiles())
    expect(error).toBeInstanceOf(TypeError)
    expect(error).not.toBeInstanceOf(ApiError)
  })
})

it('a fetch of one’s own takes the place of the platform’s', async () => {
  await using server = await startApi(json(200, { files: [], nextCursor: null }))
  const urls: string[] = []
  const client = createClient({
    baseUrl: server.baseUrl,
    credentials: null,
    fetch: (url, init) => {
      urls.push(url)
      return fetch(url, init)
    },
  })
  await client.listFiles()
  expect(urls).toEqual([`${server.baseUrl}/api/files`])
})
