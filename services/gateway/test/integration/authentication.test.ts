import { connect } from 'node:net'
import { formatApiKey } from '@tideport/contracts/public/api-key-format'
import { startIdentityProvider } from '@tideport/testing/identity-provider'
import { waitFor } from '@tideport/testing/wait-for'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { request, requestInTime, startAuth, startGateway } from '../bundle.ts'

const keys = '/api/auth/api-keys'
const stack = new AsyncDisposableStack()
let provider: Awaited<ReturnType<typeof startIdentityProvider>>
let auth: Awaited<ReturnType<typeof startAuth>>
let gateways: Awaited<ReturnType<typeof startGateway>>[]

beforeAll(async () => {
  provider = stack.use(await startIdentityProvider())
  auth = stack.use(await startAuth(0, { REVOCATION_WAIT_SECONDS: '0.3' }))
  const env = {
    AUTH_URL: auth.url,
    IDENTITY_PROVIDER_ISSUER: provider.issuer,
    IDENTITY_PROVIDER_AUDIENCE: provider.audience,
  }
  gateways = await Promise.all([startGateway(env), startGateway(env)])
  for (const gateway of gateways) stack.use(gateway)
})
afterAll(() => stack.disposeAsync())

const on = (index: number) => gateways[index]?.url ?? ''
const login = (subject: string) => provider.issueToken({ subject })
async function createKey(token: string) {
  const { body } = await requestInTime(on(0) + keys, { method: 'POST', bearer: token, json: { name: 'k' } })
  return { key: body.key as string, id: body.id as string }
}

describe('revocation across two gateways', () => {
  it('accepts no request that begins after the response, while other clients flood both with the same key (I7)', async () => {
    const token = await login('ann')
    const { key, id } = await createKey(token)
    let revokedAt = Number.POSITIVE_INFINITY
    const late: number[] = []
    const hammer = async (url: string) => {
      for (let lateOnes = 0; lateOnes < 3; ) {
        const begunAt = performance.now()
        const { status } = await request(url + keys, { bearer: key })
        if (begunAt <= revokedAt) continue
        late.push(status)
        lateOnes += 1
      }
    }
    const hammers = Array.from({ length: 8 }, (_, i) => hammer(on(i % 2)))
    await request(`${on(0) + keys}/${id}`, { method: 'DELETE', bearer: token })
    revokedAt = performance.now()
    await Promise.all(hammers)
    expect(new Set(late)).toEqual(new Set([401]))
  })
})

/** Sends exactly these header lines. */
async function send(headers: string[]): Promise<{ head: string; body: string }> {
  const socket = connect(Number(new URL(on(0)).port), '127.0.0.1')
  socket.on('error', () => {})
  const lines = [`GET ${keys} HTTP/1.1`, 'Host: localhost', 'Connection: close', ...headers]
  socket.write(`${lines.join('\r\n')}\r\n\r\n`)
  let text = ''
  for await (const chunk of socket) text += chunk
  const [head = '', body = ''] = text.split('\r\n\r\n')
  return { head, body }
}

describe('an invalid credential', () => {
  it('gets the same 401, whatever is wrong with it (A9)', async () => {
    const unknownKey = formatApiKey(crypto.getRandomValues(new Uint8Array(32)))
    const { key } = await createKey(await login('ann'))
    const forms: string[][] = [
      [],
      ['Authorization:'],
      ['Authorization: Bearer'],
      ['Authorization: Bearer '],
      ['Authorization: Basic dXNlcjpwYXNz'],
      [`Authorization: ${key}`],
      [`Authorization: Bearer ${key} ${key}`],
      [`Authorization: Bearer ${key},`],
      [`Authorization: Bearer ${key}`, 'Authorization: Bearer other'],
      ['Authorization: Bearer other', `Authorization: Bearer ${key}`],
      [`Authorization: Bearer ${key}`, `authorization: Bearer ${key}`],
      ['Authorization: Bearer tdp_'],
      [`Authorization: Bearer ${unknownKey}`],
      [`Authorization: Bearer ${key.slice(0, -1)}${key.endsWith('0') ? '1' : '0'}`],
      [`Authorization: Bearer ${key.toLowerCase()}x`],
      ['Authorization: Bearer not.a.jwt'],
      [`Authorization: Bearer ${'x'.repeat(9000)}`],
      [`Authorization: Bearer ${'x'.repeat(100_000)}`],
      [`Authorization: Bearer ${'x'.repeat(1_000_000)}`],
      [`Cookie: authorization=${key}`],
      [`X-Tideport-Principal: ${key}`],
    ]
    const answers = []
    for (const form of forms) answers.push(await send(form))
    expect(new Set(answers.map(({ body }) => body)).size).toBe(1)
    for (const { head, body } of answers) {
      expect(head).toMatch(/^HTTP\/1\.1 401 /)
      expect(head.toLowerCase()).toContain('\r\nwww-authenticate: bearer\r\n')
      expect(JSON.parse(body)).toEqual({ error: expect.any(String), code: 'unauthenticated' })
    }
  })

  it('does not cause 401 when another header makes the head too large', async () => {
    const { key } = await createKey(await login('ann'))
    const { head, body } = await send([`Authorization: Bearer ${key}`, `X-Large: ${'x'.repeat(18_000)}`])
    expect(head).toMatch(/^HTTP\/1\.1 400 /)
    expect(head).toMatch(/\r\nx-request-id: [0-9a-f-]{36}\r\n/)
    expect(JSON.parse(body)).toMatchObject({ code: 'validation_failed', error: expect.stringContaining('16 KiB') })
  })

  it('is accepted with any case of the scheme, but never in the URL', async () => {
    const { key } = await createKey(await login('ann'))
    for (const scheme of ['bearer', 'BEARER', 'Bearer ']) {
      expect((await send([`Authorization: ${scheme} ${key}`])).head).toMatch(/^HTTP\/1\.1 200 /)
    }
    const inUrl = await request(`${on(0) + keys}?access_token=${key}&authorization=Bearer%20${key}`)
    expect(inUrl.status).toBe(401)
  })
})

describe('while auth is unavailable', () => {
  it('returns 503 with Retry-After, never 401 for a possibly valid credential, recovers with auth, and logs no credential (A9, A11)', async () => {
    const known = await login('ann')
    const { key } = await createKey(known)
    const fresh = await login(crypto.randomUUID())
    await auth.stop()
    for (const bearer of [key, fresh, known]) {
      const { status, headers, body } = await request(on(0) + keys, { bearer })
      expect([status, body.code]).toEqual([503, 'unavailable'])
      expect(Number(headers.get('retry-after'))).toBeGreaterThan(0)
    }
    // These need no lookup.
    const wrong = `${key.slice(0, -1)}${key.endsWith('0') ? '1' : '0'}`
    for (const bearer of ['nonsense', wrong]) expect((await request(on(0) + keys, { bearer })).status).toBe(401)
    await auth.restart()
    for (const bearer of [key, fresh]) {
      // A process that has just started may be too slow on a busy machine.
      const answer = async () => {
        const { status } = await request(on(0) + keys, { bearer })
        return status !== 503 && status
      }
      expect(await waitFor(answer, { what: 'auth to answer' })).toBe(200)
    }
    await waitFor(() => gateways[0]?.printed().includes('request not served'))
    for (const gateway of gateways) {
      for (const secret of [key, wrong, known, fresh]) expect(gateway.printed()).not.toContain(secret)
    }
  })
})
