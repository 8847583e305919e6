import type { ServerResponse } from 'node:http'
import { setUpOnce } from '@tideport/testing/set-up-once'
import { waitFor } from '@tideport/testing/wait-for'
import { describe, expect, it } from 'vitest'
import { request, startDoor, startGateway } from '../bundle.ts'
import { startUpstream } from '../start-upstream.ts'

const post = { method: 'POST', json: { name: 'v' } }
const confirm = '/api/files/0198f2a0-0000-7000-8000-000000000001/confirm'
const door = setUpOnce(() => startDoor())

async function setup(count: number) {
  const stack = new AsyncDisposableStack()
  const upstreams = []
  for (let i = 0; i < count; i++) upstreams.push(stack.use(await startUpstream()))
  const urls = upstreams.map(({ url }) => url).join()
  const gateway = stack.use(await startGateway({ ...door.env, FILES_URL: urls, WEBHOOKS_URL: urls }))
  const [first = never(), second = first] = upstreams
  return { first, second, gateway, [Symbol.asyncDispose]: () => stack.disposeAsync() }
}

function never(): never {
  throw new Error('There is no upstream')
}

describe('a process that accepts connections and never responds', () => {
  it('causes 503, immediately once it is known to be unresponsive, until it responds again', async () => {
    await using t = await setup(1)
    t.first.hang()
    const asked = [`${t.gateway.url}/api/vaults`, `${t.gateway.url}/api/webhooks`].flatMap((url) => [
      request(url),
      request(url, post),
    ])
    for (const answer of await Promise.all(asked)) {
      expect([answer.status, answer.body.code]).toEqual([503, 'unavailable'])
      expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0)
    }
    const seen = t.first.seen.length
    expect((await request(`${t.gateway.url}/api/vaults`)).status).toBe(503)
    expect(t.first.seen.length).toBe(seen) // it received no request
    expect((await request(`${t.gateway.adminUrl}/ready`)).body.dependencies.files).toBe('down')
    expect((await request(`${t.gateway.adminUrl}/metrics`)).body).toMatch(
      /tideport_upstream_hung{upstream="files".*} 1/,
    )

    t.first.wake()
    await waitFor(async () => (await request(`${t.gateway.url}/api/vaults`)).status === 200)
    expect((await request(`${t.gateway.adminUrl}/metrics`)).body).toMatch(
      /tideport_upstream_hung{upstream="files".*} 0/,
    )
  })

  it('is replaced by another process, without repeating requests that may have taken effect', async () => {
    await using t = await setup(2)
    t.second.hang()
    const ask = (init = {}) => request(`${t.gateway.url}/api/vaults`, init)
    const reads = await Promise.all([ask(), ask(), ask(), ask()])
    expect(reads.map(({ status }) => status)).toEqual([200, 200, 200, 200])
    // No request waits for the second process any more.
    for (let i = 0; i < 4; i++) expect((await request(`${t.gateway.url}/api/vaults`, post)).status).toBe(200)

    t.second.wake()
    const isBack = async () => {
      const seen = t.second.seen.length
      for (let i = 0; i < 2; i++) expect((await request(`${t.gateway.url}/api/vaults`)).status).toBe(200)
      return t.second.seen.length > seen
    }
    await waitFor(isBack)
    t.second.hang()
    t.first.seen.length = 0
    const writes = await Promise.all([ask(post), ask(post)])
    expect(new Set(writes.map(({ status }) => status))).toEqual(new Set([200, 503]))
    expect(t.first.seen.filter(({ method }) => method === 'POST')).toHaveLength(1)
  })

  it('does not abort a confirm, which may wait for hot storage', async () => {
    await using t = await setup(1)
    t.first.hang()
    let isAnswered = false
    const confirmed = request(t.gateway.url + confirm, { method: 'POST' }).finally(() => {
      isAnswered = true
    })
    expect((await request(`${t.gateway.url}/api/vaults`)).status).toBe(503)
    expect(isAnswered).toBe(false)
    await t.first[Symbol.asyncDispose]()
    expect((await confirmed).status).toBe(503)
  })
})

it('a process that is slow with one request does not count as unresponsive', async () => {
  await using t = await setup(1)
  const held = Promise.withResolvers<ServerResponse>()
  t.first.answerWith((_request, response) => held.resolve(response))
  const asked = request(`${t.gateway.url}/api/vaults`, post)
  const response = await held.promise
  const before = t.first.probes()
  await waitFor(() => t.first.probes() >= before + 3)
  response.end('{}')
  expect((await asked).status).toBe(200)
})
