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

it('below a link a client’s cookie for it goes on, and no other; elsewhere none does', async () => {
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

it('a form is taken where a link asks for a password, byte for byte, and nowhere else', async () => {
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

it('a client that waits to be asked for what it sends by a link is asked', async () => {
  files.answerWith((_request, response) => response.writeHead(201).end('{}'))
  const sent = send(`${gateway.url}/s/${token}/content/a.txt`, {
    method: 'PUT',
    headers: { expect: '100-continue', 'content-length': 5, 'content-type': 'text/plain' },
  })
  sent.flushHeaders()
  await once(sent, 'continue')
  sent.end('hello')
  const [answer] = await once(sent, 'response')
  expect(answer.resume().statusCode).toBe(201)
  expect(files.seen.at(-1)).toMatchObject({ method: 'PUT', body: 'hello', headers: { 'content-type': 'text/plain' } })
})

it('no token of a link is in the log', async () => {
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
