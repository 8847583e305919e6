import { once } from 'node:events'
import { request as send } from 'node:http'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { request, startGateway } from '../bundle.ts'
import { startUpstream } from '../start-upstream.ts'

const token = 'abcdefghijklmnopqrstuvwxyz012345'
let files: Awaited<ReturnType<typeof startUpstream>>
let gateway: Awaited<ReturnType<typeof startGateway>>

beforeAll(async () => {
  files = await startUpstream()
  gateway = await startGateway({ FILES_URL: files.url })
})
afterAll(async () => {
  await gateway?.stop()
  await files?.stop()
})

it('forwards only the link cookie below a link, and no cookie elsewhere', async () => {
  const cookie = 'session=secret; tideport_link=1.2..mac; xtideport_link=no; tideport_link=later'
  for (const path of [`/s/${token}`, `/s/${token}/content`, `/s/${token}/content/a/b.txt`]) {
    await request(gateway.url + path, { headers: { cookie } })
    expect(files.seen.at(-1)).toMatchObject({ url: path, headers: { cookie: 'tideport_link=1.2..mac' } })
  }
  await request(`${gateway.url}/s/${token}`, { headers: { cookie: 'session=secret' } })
  expect(files.seen.at(-1)?.headers).not.toHaveProperty('cookie')
  await request(`${gateway.url}/api/public/blobs/abc`, { headers: { cookie } })
  expect(files.seen.at(-1)?.headers).not.toHaveProperty('cookie')
})

it('accepts a form, byte for byte, only where a link requires a password', async () => {
  const headers = { 'content-type': 'application/x-www-form-urlencoded; charset=UTF-8' }
  const body = 'password=a+b%26c'
  files.answerWith((_request, response) => response.writeHead(303, { location: token, 'set-cookie': 'a=b' }).end())
  const post = (path: string) => request(gateway.url + path, { method: 'POST', headers, body, redirect: 'manual' })
  const answer = await post(`/s/${token}`)
  expect([answer.status, answer.headers.get('location'), answer.headers.get('set-cookie')]).toEqual([303, token, 'a=b'])
  expect(files.seen.at(-1)).toMatchObject({ method: 'POST', body, headers })
  const seen = files.seen.length
  expect((await post('/api/vaults')).status).toBe(401)
  expect((await post('/api/public/blobs/abc')).status).toBe(405)
  expect(files.seen.length).toBe(seen)
})

it('sends 100 Continue for an upload by a link after the link accepts it', async () => {
  files.answerWith((_request, response) => response.end('{}'))
  const sent = send(`${gateway.url}/s/${token}/content/a.txt?x=1`, {
    method: 'PUT',
    headers: {
      expect: '100-continue',
      'content-length': 5,
      'content-type': 'text/plain',
      cookie: 'tideport_link=1.2..mac',
    },
  })
  sent.flushHeaders()
  await once(sent, 'continue')
  const asked = files.seen.at(-1)
  expect(asked).toMatchObject({ method: 'GET', url: `/internal/s/${token}` })
  expect(asked?.headers).toMatchObject({ 'x-tideport-content-length': '5', cookie: 'tideport_link=1.2..mac' })
  sent.end('hello')
  const [answer] = await once(sent, 'response')
  expect(answer.resume().statusCode).toBe(200)
  expect(files.seen.at(-1)).toMatchObject({ method: 'PUT', body: 'hello', headers: { 'content-type': 'text/plain' } })
})

it.each([
  ['a short file', 'PUT', '/content/a.txt', { 'content-length': '5' }],
  ['a long file', 'PUT', '/content/a.txt', { 'content-length': '5000000' }],
  ['a file in chunks', 'PUT', '/content/a.txt', { 'transfer-encoding': 'chunked' }],
  ['a form', 'POST', '/content', { 'content-length': '500', 'content-type': 'multipart/form-data; boundary=x' }],
  ['a file with Expect', 'PUT', '/content/a.txt', { 'content-length': '5', expect: '100-continue' }],
] as const)('rejects %s by a link without uploads before any byte is sent', async (_what, method, path, headers) => {
  const seen = files.seen.length
  files.answerWith((_request, response) => response.writeHead(404).end('{"error":"Not found","code":"not_found"}'))
  const sent = send(`${gateway.url}/s/${token}${path}`, {
    method,
    headers: { accept: 'application/json', ...headers },
  })
  sent.on('error', () => {})
  let isAsked = false
  sent.on('continue', () => {
    isAsked = true
  })
  sent.flushHeaders()
  const [answer] = await once(sent, 'response')
  sent.destroy()
  expect([answer.statusCode, isAsked]).toEqual([404, false])
  expect(files.seen.slice(seen).map(({ method, url }) => [method, url])).toEqual([['GET', `/internal/s/${token}`]])
})

it('sends the same check for a path with encoded letters and never reads the file itself', async () => {
  const seen = files.seen.length
  files.answerWith((_request, response) => response.writeHead(404).end('{"error":"Not found","code":"not_found"}'))
  const headers = { accept: 'application/json' }
  const init = { method: 'PUT', body: 'hello', headers }
  const answer = await request(`${gateway.url}/%73/${token}/content/a.txt?x=1`, init)
  expect(answer.status).toBe(404)
  expect(files.seen.slice(seen).map(({ method, url }) => [method, url])).toEqual([['GET', `/internal/s/${token}`]])
})

it('returns the service’s page to a browser form that a link rejects', async () => {
  files.answerWith(({ url }, response) => {
    const isCheck = url?.startsWith('/internal/')
    response.writeHead(404).end(isCheck ? '{"error":"Not found","code":"not_found"}' : '<p>No such link')
  })
  const form = { method: 'POST', body: new FormData(), headers: { accept: 'text/html,*/*;q=0.8' } }
  const answer = await fetch(`${gateway.url}/s/${token}/content`, form)
  expect([answer.status, await answer.text()]).toEqual([404, '<p>No such link'])
})

it('logs no link token', async () => {
  files.answerWith((_request, response) => response.end('{}'))
  for (const path of [
    `/s/${token}`,
    `/s/${token}/content/a`,
    `/s/${token}/nothing`,
    `/s/${token}/`,
    `/s/%ff${token}`,
  ]) {
    await request(gateway.url + path)
  }
  await files.stop()
  expect((await request(`${gateway.url}/s/${token}`)).status).toBe(503)
  await gateway.stop()
  const log = JSON.stringify(gateway.output)
  expect(log).toContain('/s/:token/content/*')
  expect(log).not.toContain(token)
})
