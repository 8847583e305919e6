import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { nowhere, request, startDoor, startGateway } from '../bundle.ts'
import { startUpstream } from '../start-upstream.ts'

let door: Awaited<ReturnType<typeof startDoor>>

beforeAll(async () => {
  door = await startDoor()
})
afterAll(() => door[Symbol.asyncDispose]())
afterEach(() => {
  door.files.seen.length = 0
  door.files.answerWith((_request, response) => response.end('{}'))
})

describe('several processes of one service', () => {
  const post = { method: 'POST', json: { name: 'v' } }

  it('take turns, and one that refuses connections is passed over, for writes too', async () => {
    await using other = await startUpstream()
    await using balanced = await startGateway({ ...door.env, FILES_URL: `${door.files.url},${other.url},${nowhere}` })
    for (let i = 0; i < 12; i++) {
      expect((await request(`${balanced.url}/api/vaults`, i % 2 ? post : {})).status).toBe(200)
    }
    expect(door.files.seen.length + other.seen.length).toBe(12)
    expect(Math.min(door.files.seen.length, other.seen.length)).toBeGreaterThan(2)
  })

  it('cover for one that drops connections in reads; a write is never sent twice', async () => {
    await using other = await startUpstream()
    other.answerWith((request) => request.socket.resetAndDestroy())
    await using balanced = await startGateway({ ...door.env, FILES_URL: `${door.files.url},${other.url}` })
    for (let i = 0; i < 6; i++) expect((await request(`${balanced.url}/api/vaults`)).status).toBe(200)
    expect(other.seen.length).toBeGreaterThan(0)

    door.files.seen.length = other.seen.length = 0
    const statuses = []
    for (let i = 0; i < 6; i++) statuses.push((await request(`${balanced.url}/api/vaults`, post)).status)
    expect(new Set(statuses)).toEqual(new Set([200, 503]))
    expect(door.files.seen.length + other.seen.length).toBe(6)
  })

  it('that are all down: 503 with Retry-After, and readiness stays', async () => {
    const { status, headers, body } = await request(`${door.gateway.url}/api/webhooks`)
    expect([status, body.code]).toEqual([503, 'unavailable'])
    expect(Number(headers.get('retry-after'))).toBeGreaterThan(0)
    for (const url of [door.gateway.url, door.gateway.adminUrl]) {
      expect(await request(`${url}/ready`)).toMatchObject({
        status: 200,
        body: { status: 'ready', dependencies: { auth: 'up', files: 'up', webhooks: 'down' } },
      })
    }
  })
})
