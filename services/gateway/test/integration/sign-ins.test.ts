import { afterAll, beforeAll, expect, it } from 'vitest'
import { request, startGateway } from '../bundle.ts'
import { startUpstream } from '../start-upstream.ts'

let auth: Awaited<ReturnType<typeof startUpstream>>
let gateway: Awaited<ReturnType<typeof startGateway>>

beforeAll(async () => {
  auth = await startUpstream()
  auth.answerWith((_request, response) => {
    const isRight = auth.seen.at(-1)?.body.includes('right')
    response
      .writeHead(isRight ? 201 : 403, { 'content-type': 'application/json' })
      .end('{"code":"wrong_recovery_code"}')
  })
  const limits = { RATE_LIMIT_ANONYMOUS_PER_SECOND: '0.001', RATE_LIMIT_ANONYMOUS_BURST: '3' }
  gateway = await startGateway({ AUTH_URL: auth.url, PUBLIC_URL: 'https://files.example', ...limits })
})
afterAll(async () => {
  await gateway?.stop()
  await auth?.stop()
})

it('limits refused sign-ins of an address, but never locks out a valid one (ADR 0021)', async () => {
  const recover = (recoveryCode: string) =>
    request(`${gateway.url}/api/sign-in/recovery-code`, { method: 'POST', json: { recoveryCode } })
  const guesses = await Promise.all(Array.from({ length: 10 }, () => recover('guess')))
  expect(guesses.map(({ status }) => status).sort()).toEqual([403, 403, 403, ...Array(7).fill(429)])
  const limited = guesses.find(({ status }) => status === 429)
  expect([limited?.body.code, limited?.headers.has('retry-after')]).toEqual(['rate_limited', true])
  for (let index = 0; index < 5; index++) expect((await recover('right')).status).toBe(201)
  expect((await recover('guess')).status).toBe(429)
  const spoofed = { 'x-forwarded-for': '192.0.2.9', 'x-forwarded-host': 'evil.example' }
  for (const path of ['/api/set-up', '/api/set-up/options']) {
    const guess = { method: 'POST', headers: spoofed, json: { token: 'guess' } }
    expect((await request(gateway.url + path, guess)).status).toBe(429)
  }
})

it('reports the origin of the owner’s passkeys', async () => {
  const { body } = await request(`${gateway.url}/api/sign-in`)
  expect(body).toMatchObject({ passkeyOrigin: 'https://files.example', development: false })
})
