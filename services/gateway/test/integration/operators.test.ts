import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { request, startAuth, startGateway } from '../bundle.ts'
import { startUpstream } from '../start-upstream.ts'

const path = '/api/operator/overview'
const stack = new AsyncDisposableStack()
let auth: Awaited<ReturnType<typeof startAuth>>
let files: Awaited<ReturnType<typeof startUpstream>>

beforeAll(async () => {
  auth = stack.use(await startAuth())
  files = stack.use(await startUpstream())
})
afterAll(() => stack.disposeAsync())

const open = (env: Record<string, string> = {}) =>
  startGateway({ AUTH_URL: auth.url, FILES_URL: files.url, SERVICE_ENV: 'development', ...env })

describe('what is there for operators', () => {
  it('is not there, whoever asks and however, where nobody is one', async () => {
    await using gateway = await open()
    const missing = await request(`${gateway.url}/api/nothing`)
    const callers = [{}, { 'X-Dev-Provider-Id': 'ops' }, { authorization: 'Bearer nonsense' }]
    for (const headers of callers) {
      for (const method of ['GET', 'POST', 'DELETE']) {
        expect(await request(gateway.url + path, { method, headers })).toMatchObject({
          status: 404,
          body: missing.body,
        })
      }
    }
    expect(files.seen.filter(({ url }) => url === path)).toEqual([])
  })

  it('answers the operator alone; all others get what a path that is none answers, and no service is asked', async () => {
    await using gateway = await open({ DEVELOPMENT_OPERATOR: 'ops' })
    const ops = { 'X-Dev-Provider-Id': 'ops' }
    expect((await request(gateway.url + path, { headers: ops })).status).toBe(200)
    const asked = files.seen.length
    const missing = await request(`${gateway.url}/api/nothing`)
    const made = { method: 'POST', headers: ops, json: { name: 'k' } }
    const { body: key } = await request(`${gateway.url}/api/auth/api-keys`, made)
    const others: Record<string, string>[] = [
      {},
      { 'X-Dev-Provider-Id': 'ops2' },
      { 'X-Dev-Provider-Id': 'OPS' },
      { authorization: `Bearer ${key.key}` },
      { authorization: `Bearer ${key.key}`, ...ops },
    ]
    for (const headers of others) {
      for (const method of ['GET', 'PATCH']) {
        const answer = await request(gateway.url + path, { method, headers })
        expect(answer, JSON.stringify(headers)).toMatchObject({ status: 404, body: missing.body })
      }
    }
    expect(files.seen.length).toBe(asked)
  })

  it('believes no header about it outside of development mode', async () => {
    await using gateway = await open({ SERVICE_ENV: 'production', DEVELOPMENT_OPERATOR: 'ops' })
    expect((await request(gateway.url + path, { headers: { 'X-Dev-Provider-Id': 'ops' } })).status).toBe(404)
  })
})
