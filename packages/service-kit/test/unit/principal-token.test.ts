import { createHmac, generateKeyPairSync, sign } from 'node:crypto'
import type { AccountPrincipal } from '@tideport/contracts/internal/principal'
import { decodeJwt, jwtVerify } from 'jose'
import { describe, expect, it } from 'vitest'
import { createPrincipalSigner, createPrincipalVerifier } from '../../src/http/principal-token.ts'

const account: AccountPrincipal = {
  kind: 'account',
  accountId: '01890a5d-ac96-774b-bcce-b302099a8057',
  method: 'api_key',
  keyId: '01890a5d-ac96-774b-bcce-b302099a8058',
  scopes: ['files:read'],
}

function keyPair(kid: string) {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519')
  return {
    privateKey,
    publicKey,
    private: { ...privateKey.export({ format: 'jwk' }), kid },
    public: { ...publicKey.export({ format: 'jwk' }), kid },
  }
}

function setup() {
  const clock = { nowMs: Date.UTC(2026, 10, 20) }
  const now = () => clock.nowMs
  const pair = keyPair('a')
  const sign = createPrincipalSigner({ privateKey: JSON.stringify(pair.private), now })
  const verifierOf = (audience: string, ...keys: object[]) =>
    createPrincipalVerifier({ publicKeys: JSON.stringify({ keys }), audience, now })
  return { clock, pair, sign, verifierOf, verify: verifierOf('files', pair.public) }
}

const notBelieved = expect.objectContaining({ code: 'unavailable' })

describe('principal token', () => {
  it('carries a principal from gateway to service unchanged', () => {
    const { sign, verify } = setup()
    expect(verify(sign(account, 'files'))).toEqual(account)
    expect(verify(sign({ kind: 'public' }, 'files'))).toEqual({ kind: 'public' })
  })

  it('is a standard JWT', async () => {
    const { clock, pair, sign } = setup()
    const options = { issuer: 'gateway', audience: 'files', currentDate: new Date(clock.nowMs) }
    const { payload, protectedHeader } = await jwtVerify(sign(account, 'files'), pair.publicKey, options)
    expect([protectedHeader, payload['principal']]).toEqual([{ alg: 'EdDSA', kid: 'a' }, account])
  })

  it('expires 60 seconds after it was signed, with 30 seconds of tolerance, also when it is cached', () => {
    const { clock, sign, verify } = setup()
    const token = sign(account, 'files')
    clock.nowMs += 89_000
    expect(verify(token)).toEqual(account)
    clock.nowMs += 2_000
    expect(() => verify(token)).toThrow(notBelieved)
  })

  it('is reused only while more than 20 seconds are left', () => {
    const { clock, sign } = setup()
    const first = sign(account, 'files')
    clock.nowMs += 39_000
    expect(sign(account, 'files')).toBe(first)
    clock.nowMs += 1_000
    const second = sign(account, 'files')
    expect((decodeJwt(second).exp ?? 0) * 1000 - clock.nowMs).toBe(60_000)
  })

  it('is never reused for another principal or service', () => {
    const { sign } = setup()
    const tokens = [
      sign(account, 'files'),
      sign(account, 'auth'),
      sign({ ...account, scopes: null }, 'files'),
      sign({ kind: 'public' }, 'files'),
    ]
    expect(new Set(tokens).size).toBe(4)
  })

  it('is verified with the key that it names, so keys can be rotated', () => {
    const { sign, verifierOf, pair } = setup()
    const next = keyPair('b')
    expect(verifierOf('files', next.public, pair.public)(sign(account, 'files'))).toEqual(account)
    expect(() => verifierOf('files', next.public)(sign(account, 'files'))).toThrow(notBelieved)
  })

  it('is rejected if another key with the same ID signed it', () => {
    const { verify } = setup()
    const forger = createPrincipalSigner({ privateKey: JSON.stringify(keyPair('a').private) })
    expect(() => verify(forger(account, 'files'))).toThrow(notBelieved)
  })
})

describe('a token signed with the key of the gateway', () => {
  const { clock, pair, verify } = setup()
  const now = clock.nowMs / 1000
  const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')
  const signed = (header: object, claims: object) => {
    const input = `${part(header)}.${part(claims)}`
    return `${input}.${sign(null, Buffer.from(input), pair.privateKey).toString('base64url')}`
  }
  const header = { alg: 'EdDSA', kid: 'a' }
  const claims = { iss: 'gateway', aud: 'files', iat: now, exp: now + 60, principal: account }

  it.each([
    ['no changes', {}],
    ['several audiences', { aud: ['auth', 'files'] }],
    ['an expiry 29 s ago', { exp: now - 29 }],
    ['a start in 30 s', { nbf: now + 30 }],
    ['no time of issue', { iat: undefined }],
  ])('is accepted with %s', (_, changes) => {
    expect(verify(signed(header, { ...claims, ...changes }))).toEqual(account)
  })

  it.each([
    ['another issuer', { iss: 'files' }],
    ['no issuer', { iss: undefined }],
    ['another audience', { aud: 'auth' }],
    ['other audiences', { aud: ['auth', 'webhooks'] }],
    ['no audience', { aud: undefined }],
    ['no expiry', { exp: undefined }],
    ['an expiry in a string', { exp: String(now + 60) }],
    ['an expiry 30 s ago', { exp: now - 30 }],
    ['a start in 31 s', { nbf: now + 31 }],
    ['a start in a string', { nbf: '0' }],
    ['a time of issue in a string', { iat: String(now) }],
    ['a principal of an unknown kind', { principal: { kind: 'root' } }],
    ['no principal', { principal: undefined }],
  ])('is rejected with %s', (_, changes) => {
    expect(() => verify(signed(header, { ...claims, ...changes }))).toThrow(notBelieved)
  })

  it.each([
    ['another algorithm', { alg: 'ES256' }],
    ['no algorithm', { alg: undefined }],
    ['the algorithm "none"', { alg: 'none' }],
    ['the other name of the algorithm', { alg: 'Ed25519' }],
    ['no key ID', { kid: undefined }],
    ['an unknown key ID', { kid: 'b' }],
    ['a numeric key ID', { kid: 1 }],
    ['an unknown critical extension', { crit: ['magic'], magic: 1 }],
    ['an unencoded payload', { crit: ['b64'], b64: false }],
    ['an empty list of critical extensions', { crit: [] }],
  ])('is rejected with %s in its header', (_, changes) => {
    expect(() => verify(signed({ ...header, ...changes }, claims))).toThrow(notBelieved)
  })

  it('is rejected if it is altered, truncated, padded, or has more segments', () => {
    const token = signed(header, claims)
    expect(verify(token)).toEqual(account)
    const [first, , third] = token.split('.')
    const wrong = [
      `${first}.${part({ ...claims, principal: { kind: 'gateway' } })}.${third}`,
      `${part({ ...header, extra: 1 })}.${token.split('.')[1]}.${third}`,
      `${first}.${token.split('.')[1]}.`,
      `${first}.${token.split('.')[1]}`,
      token.slice(0, -2),
      `${token}=`,
      `${token}.`,
      ` ${token}`,
    ]
    for (const bad of [...wrong, '', 'x', 'a.b.c', '..']) expect(() => verify(bad), bad).toThrow(notBelieved)
  })

  it('is rejected if its signature is only an HMAC with the public key', () => {
    const input = `${part({ alg: 'HS256', kid: 'a' })}.${part(claims)}`
    const secret = pair.publicKey.export({ type: 'spki', format: 'pem' })
    const token = `${input}.${createHmac('sha256', secret).update(input).digest('base64url')}`
    expect(() => verify(token)).toThrow(notBelieved)
  })
})
