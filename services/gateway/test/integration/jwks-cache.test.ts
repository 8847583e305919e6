import { createServer } from 'node:http'
import { startInterimServer } from '@tideport/testing/interim-server'
import { closeAtOnce, listenOnLoopback } from '@tideport/testing/loopback-server'
import { generateSigningKeys, signToken } from '@tideport/testing/signing-keys'
import { afterAll, afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { fetchJwks } from '../../src/identity/fetch-jwks.ts'
import { nowSeconds, refused, startTokens } from '../check-tokens.ts'

const { provider, createCheck, claims, dispose } = await startTokens()
afterAll(dispose)
beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'] }))
afterEach(() => void vi.useRealTimers())

const pass = (ms: number) => vi.setSystemTime(Date.now() + ms)
const soon = () => AbortSignal.timeout(60_000)

describe('the provider’s key set', () => {
  it('is refreshed after a rotation, including withdrawn keys and outages (A3, A4)', async () => {
    const check = createCheck()
    const sign = () => provider.sign(claims({ exp: nowSeconds() + 3600 }))
    const before = sign()
    await check(before)

    await provider.rotateKeys({ keepOld: true })
    await expect(check(sign())).rejects.toEqual(refused)
    const fetches = provider.jwksRequests()
    for (let i = 0; i < 50; i++) await expect(check(sign())).rejects.toEqual(refused)
    expect(provider.jwksRequests()).toBe(fetches)
    pass(30_000)
    await expect(check(sign())).resolves.toBeDefined()
    await expect(check(before)).resolves.toBeDefined()

    await provider.rotateKeys({ keepOld: false })
    const withdrawn = before
    pass(30_000)
    await expect(check(sign())).resolves.toBeDefined()
    await expect(check(withdrawn)).rejects.toEqual(refused)

    const known = sign()
    await provider.stop()
    pass(30_000)
    await expect(check(known)).resolves.toBeDefined()
    const unknown = signToken(await generateSigningKeys(), claims())
    const nameless = signToken(await generateSigningKeys(), claims(), { header: { kid: undefined } })
    for (const token of [unknown, nameless]) {
      const error = await check(token).catch((thrown) => thrown)
      expect(error).toMatchObject({ code: 'unavailable', retryAfterSeconds: 30 })
    }
    await expect(createCheck()(known)).rejects.toMatchObject({ code: 'unavailable' })
    await provider.start()
    await expect(createCheck()(known)).resolves.toBeDefined()
    pass(30_000)
    await expect(check(unknown)).rejects.toEqual(refused)
  })

  it('is fetched again for a token without a key ID that no known key has signed', async () => {
    const check = createCheck()
    const sign = () => provider.sign(claims(), { header: { kid: undefined } })
    const before = sign()
    await check(before)
    await provider.rotateKeys({ keepOld: false })
    pass(20_000)
    await expect(check(sign())).rejects.toEqual(refused)
    pass(10_000)
    await expect(check(sign())).resolves.toBeDefined()
    await expect(check(before)).rejects.toEqual(refused)
  })

  it.each([
    ['an error', 500, '{}'],
    ['a web page', 200, '<html>'],
    ['an empty set', 200, '{"keys":[]}'],
    ['an invalid set', 200, '{"keys":"none"}'],
    ['10 MB', 200, `{"keys":[{"kty":"RSA","n":"${'A'.repeat(10_000_000)}"}]}`],
    ['a redirect', 302, ''],
  ])('is never replaced by %s', async (_, status, body) => {
    await using server = await serveAnswer({ status, body })
    await expect(fetchJwks({ issuer: provider.issuer, jwksUrl: server.url }, soon())).rejects.toThrow()
  })

  it('is not fetched for an issuer that differs by a slash, and the error names the setting to change', async () => {
    const { issuer } = provider
    const fault = `IDENTITY_PROVIDER_ISSUER is ${issuer}/, but ${issuer}/.well-known/openid-configuration reports ${issuer}.`
    await expect(fetchJwks({ issuer: `${issuer}/`, jwksUrl: undefined }, soon())).rejects.toThrow(fault)
  })

  it('is read after unexpected interim responses', async () => {
    const pieces = ['HTTP/1.1 100 Continue\r\n\r\n', 'HTTP/1.1 103 Early Hints\r\n\r\n']
    await using server = await startInterimServer({ pieces, body: '{"keys":[{"kty":"RSA"}]}' })
    const { keys } = await fetchJwks({ issuer: provider.issuer, jwksUrl: server.url }, soon())
    expect(keys).toEqual([{ kty: 'RSA' }])
    expect(server.bodies).toHaveLength(1)
  })

  it('is used for its keys even if it has other entries', async () => {
    const { keys } = await fetchJwks({ issuer: provider.issuer, jwksUrl: undefined }, soon())
    const odd = [null, 5, 'key', [], {}, { kty: 7 }, { kty: 'new kind' }, { kty: 'EC', crv: 'P-256', x: 'AA', y: 'AA' }]
    await using server = await serveAnswer({ status: 200, body: JSON.stringify({ keys: [...odd, ...keys] }) })
    const token = provider.sign(claims())
    await expect(createCheck({ jwksUrl: server.url })(token)).resolves.toBeDefined()
  })
})

async function serveAnswer({ status, body }: { status: number; body: string }) {
  const server = createServer((_request, response) => {
    response.writeHead(status, { location: provider.jwksUrl }).end(body)
  })
  const url = `http://127.0.0.1:${await listenOnLoopback(server)}/`
  return { url, [Symbol.asyncDispose]: () => closeAtOnce(server) }
}
