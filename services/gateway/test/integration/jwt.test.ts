import { createHmac, createPublicKey, generateKeyPairSync } from 'node:crypto'
import { createServer } from 'node:http'
import { closeAtOnce, listenOnLoopback } from '@tideport/testing/loopback-server'
import { generateSigningKeys, signToken } from '@tideport/testing/signing-keys'
import { afterAll, describe, expect, it } from 'vitest'
import { fetchJwks } from '../../src/identity/fetch-jwks.ts'
import { nowSeconds, refused, startTokens } from '../check-tokens.ts'

const { provider, createCheck, claims, dispose } = await startTokens()
afterAll(dispose)

describe('a JWT of the identity provider', () => {
  it.each(['RS256', 'ES256', 'EdDSA'] as const)('signed %s is accepted with full access', async (algorithm) => {
    const token = await provider.issueToken({ subject: 'ann', algorithm })
    expect(await createCheck()(token)).toEqual({
      kind: 'account',
      accountId: `${provider.issuer} ann`,
      method: 'jwt',
      subject: 'ann',
      scopes: null,
    })
  })

  it('makes an operator only by the complete value of the claim, alone or in a list', async () => {
    const check = createCheck({ operatorClaim: { name: 'groups', value: 'ops' } })
    const isOperator = async (given: object) => (await check(provider.sign(claims(given)))).isOperator ?? false
    for (const groups of ['ops', ['ops'], ['users', 'ops']]) expect(await isOperator({ groups })).toBe(true)
    const others = ['ops users', 'xops', 'OPS', ['ops '], [['ops']], { ops: true }, { 0: 'ops' }, true, null, 1, []]
    for (const groups of others) expect(await isOperator({ groups }), JSON.stringify(groups)).toBe(false)
    expect(await isOperator({ Groups: 'ops', roles: ['ops'] })).toBe(false)
    const ofPrototype = createCheck({ operatorClaim: { name: 'constructor', value: 'ops' } })
    expect(await ofPrototype(provider.sign(claims()))).not.toHaveProperty('isOperator')
    expect(await createCheck()(provider.sign(claims({ groups: ['ops'] })))).not.toHaveProperty('isOperator')
  })

  it('is checked with keys from a configured URL or from discovery', async () => {
    const token = await provider.issueToken({ subject: 'ann' })
    await expect(createCheck({ jwksUrl: provider.jwksUrl })(token)).resolves.toBeDefined()
  })

  it('may have several audiences, and may be off by 29 s but not by 31 s (A2)', async () => {
    const check = createCheck()
    const accepted = [
      {},
      { aud: ['other', provider.audience] },
      { exp: nowSeconds() - 28 },
      { nbf: nowSeconds() + 29 },
      { iat: nowSeconds() + 29 },
    ]
    for (const change of accepted) await expect(check(provider.sign(claims(change)))).resolves.toBeDefined()
    const tooFar = [{ exp: nowSeconds() - 31 }, { nbf: nowSeconds() + 33 }, { iat: nowSeconds() + 33 }]
    for (const change of tooFar) await expect(check(provider.sign(claims(change)))).rejects.toEqual(refused)
  })

  it('may omit the key ID and be signed with any key of its algorithm', async () => {
    const unnamed = { header: { kid: undefined } }
    const older = provider.sign(claims(), unnamed)
    const stale = provider.sign(claims({ exp: nowSeconds() - 60 }), unnamed)
    await provider.rotateKeys({ keepOld: true })
    const check = createCheck()
    await expect(check(provider.sign(claims(), unnamed))).resolves.toBeDefined()
    await expect(check(older)).resolves.toBeDefined()
    const wrong = [
      stale,
      signToken(await generateSigningKeys(), claims(), unnamed),
      provider.sign(claims({ aud: 'x' }), unnamed),
    ]
    for (const token of wrong) await expect(check(token)).rejects.toEqual(refused)
  })

  it.each<[string, object, Record<string, unknown>?]>([
    ['another issuer', { iss: 'https://evil.test' }],
    ['no issuer', { iss: undefined }],
    ['another audience', { aud: 'other' }],
    ['other audiences', { aud: ['other', 'more'] }],
    ['no audience', { aud: undefined }],
    ['no expiry', { exp: undefined }],
    ['an expiry in words', { exp: 'tomorrow' }],
    ['no subject', { sub: undefined }],
    ['an empty subject', { sub: '' }],
    ['a subject that is a number', { sub: 7 }],
    ['a subject with NUL', { sub: 'a\0b' }],
    ['a subject of 513 characters', { sub: 'x'.repeat(513) }],
    ['a type that is null', {}, { typ: null }],
    ['a key ID that is a number', {}, { kid: 7 }],
    ['a key ID that is null', {}, { kid: null }],
    ['an empty list of critical extensions', {}, { crit: [] }],
  ])('is rejected with %s', async (_, change, header = {}) => {
    await expect(createCheck()(provider.sign(claims(change), { header }))).rejects.toEqual(refused)
  })
})

describe('a JWT that the provider signed', () => {
  /** The beginning of the claims as JSON text, without the expiry, and the expiry. */
  const text = () => {
    const { exp, ...others } = claims()
    return { start: JSON.stringify(others).slice(0, -1), exp }
  }
  const checkText = (payload: string | Buffer) => createCheck()(provider.sign(Buffer.from(payload)))

  it.each<[string, (start: string, exp: number) => string | Buffer]>([
    ['an infinite expiry', (start) => `${start},"exp":1e999}`],
    ['an expiry in a string', (start, exp) => `${start},"exp":"${exp}"}`],
    ['an expiry that is null', (start) => `${start},"exp":null}`],
    ['an issue time in a string', (start, exp) => `${start},"exp":${exp},"iat":"1"}`.replace(/"iat":\d+,/, '')],
    ['an infinitely early start', (start, exp) => `${start},"exp":${exp},"nbf":-1e999}`],
    ['a byte order mark', (start, exp) => `\ufeff${start},"exp":${exp}}`],
    ['a member twice', (start, exp) => `${start},"exp":1,"exp":${exp}}`],
    ['a member twice, once escaped', (start, exp) => `${start},"\\u0065xp":1,"exp":${exp}}`],
    ['bytes that are not UTF-8', (start, exp) => Buffer.from(`${start},"exp":${exp},"x":"\xff"}`, 'latin1')],
  ])('is rejected if its payload has %s', async (_, write) => {
    const { start, exp } = text()
    await expect(checkText(write(start, exp))).rejects.toEqual(refused)
  })

  it('may have white space, escapes, and nested members of the same name', async () => {
    const { start, exp } = text()
    const deeper = '{"exp": "}", "y": [{"exp": 1}, {"exp": "\\"exp\\":"}]}'
    await expect(checkText(`\n${start}, "\\u0065xp" : ${exp}, "x": ${deeper} } `)).resolves.toBeDefined()
  })

  it('is rejected with padding, stray bits, or invalid characters in base64url', async () => {
    const check = createCheck()
    // The last of 86 characters has two bits of the signature's 64 bytes and four bits that must be 0.
    const token = provider.sign(claims(), { algorithm: 'EdDSA' })
    await expect(check(token)).resolves.toBeDefined()
    const stray = String.fromCharCode(token.charCodeAt(token.length - 1) + 1)
    const wrong = [`${token}=`, `${token}==`, `${token} `, `${token}.`, `${token.slice(0, -1)}${stray}`]
    for (const bad of wrong) await expect(check(bad)).rejects.toEqual(refused)
    const padded = provider.sign(claims({ sub: 'a?' }), { algorithm: 'EdDSA', encoding: 'base64' })
    await expect(check(padded)).rejects.toEqual(refused)
  })
})

describe('a forged JWT', () => {
  const encode = (part: unknown) => Buffer.from(JSON.stringify(part)).toString('base64url')
  const own = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const ownJwk = { ...own.privateKey.export({ format: 'jwk' }), kid: 'own' }
  const ownKeys = { RS256: ownJwk, ES256: ownJwk, EdDSA: ownJwk }

  async function providerKey() {
    const { keys } = await fetchJwks({ issuer: provider.issuer, jwksUrl: undefined }, AbortSignal.timeout(5_000))
    const rsa = keys.find(({ kty }) => kty === 'RSA')
    if (!rsa) throw new Error('The provider has no RSA key')
    return rsa
  }

  it('is rejected without a signature, whatever the case of "none" (A1)', async () => {
    for (const alg of ['none', 'None', 'NONE', 'nOnE']) {
      await expect(createCheck()(`${encode({ alg })}.${encode(claims())}.`)).rejects.toEqual(refused)
    }
  })

  it('is rejected with an HMAC keyed by the public key', async () => {
    const jwk = await providerKey()
    const pem = createPublicKey({ key: jwk, format: 'jwk' }).export({ type: 'spki', format: 'pem' })
    for (const secret of [pem, JSON.stringify(jwk)]) {
      const input = `${encode({ alg: 'HS256', kid: jwk.kid })}.${encode(claims())}`
      const signature = createHmac('sha256', secret).update(input).digest('base64url')
      await expect(createCheck()(`${input}.${signature}`)).rejects.toEqual(refused)
    }
  })

  it('is rejected with its own key or key URL, and nothing is fetched', async () => {
    const { kid } = await providerKey()
    const calls: string[] = []
    const trap = createServer((request, response) => {
      calls.push(String(request.url))
      response.end(JSON.stringify({ keys: [ownJwk] }))
    })
    const url = `http://127.0.0.1:${await listenOnLoopback(trap)}/jwks`
    const { d: _, ...jwk } = ownJwk
    for (const header of [{ jwk }, { jku: url }, { x5u: url }, { kid: url }, { kid: '../../../dev/null' }, {}]) {
      for (const named of [{ kid }, {}]) {
        const token = signToken(ownKeys, claims(), { header: { ...named, ...header } })
        await expect(createCheck()(token)).rejects.toEqual(refused)
      }
    }
    expect(calls).toEqual([])
    await closeAtOnce(trap)
  })

  it('is rejected if the provider signed it for another use', async () => {
    const typed = (typ: unknown) => createCheck()(provider.sign(claims(), { header: { typ } }))
    for (const typ of ['JWT', 'jwt', 'at+jwt', 'application/at+jwt', undefined])
      await expect(typed(typ)).resolves.toBeDefined()
    for (const typ of ['logout+jwt', 'dpop+jwt', 'secevent+jwt', '', 7]) {
      await expect(typed(typ)).rejects.toEqual(refused)
    }
  })

  it('is rejected if altered, truncated, or with an unknown critical header', async () => {
    const check = createCheck()
    const token = provider.sign(claims())
    const [header, , signature] = token.split('.')
    const forged = [
      `${header}.${encode(claims({ sub: 'root' }))}.${signature}`,
      `${header}.${token.split('.')[1]}.`,
      token.slice(0, -10),
      `${token}.x`,
      'a.b.c',
      'x',
      provider.sign(claims(), { header: { crit: ['magic'], magic: 1 } }),
      provider.sign(claims(), { header: { alg: 'RS512' } }),
      provider.sign(claims(), { header: { alg: 'ES256' } }),
    ]
    for (const bad of forged) await expect(check(bad)).rejects.toEqual(refused)
    await expect(check(token)).resolves.toBeDefined()
  })
})
