import { generateKeyPairSync } from 'node:crypto'
import type { AccountPrincipal } from '@tideport/contracts/internal/principal'
import { decodeJwt, SignJWT } from 'jose'
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

describe('principal token', () => {
  it('carries a principal from gateway to service unchanged', async () => {
    const { sign, verify } = setup()
    expect(await verify(await sign(account, 'files'))).toEqual(account)
    expect(await verify(await sign({ kind: 'public' }, 'files'))).toEqual({ kind: 'public' })
  })

  it('is good for one service only', async () => {
    const { sign, verify } = setup()
    await expect(verify(await sign(account, 'webhooks'))).rejects.toMatchObject({ code: 'unauthenticated' })
  })

  it('runs out 60 seconds after it was signed, with 30 seconds of tolerance, also when it was cached', async () => {
    const { clock, sign, verify } = setup()
    const token = await sign(account, 'files')
    clock.nowMs += 89_000
    expect(await verify(token)).toEqual(account)
    clock.nowMs += 2_000
    await expect(verify(token)).rejects.toMatchObject({ code: 'unauthenticated' })
  })

  it('is reused only while 20 seconds are left', async () => {
    const { clock, sign } = setup()
    const first = await sign(account, 'files')
    clock.nowMs += 39_000
    expect(await sign(account, 'files')).toBe(first)
    clock.nowMs += 1_000
    const second = await sign(account, 'files')
    expect((decodeJwt(second).exp ?? 0) * 1000 - clock.nowMs).toBe(60_000)
  })

  it('is never reused for another principal or service', async () => {
    const { sign } = setup()
    const tokens = await Promise.all([
      sign(account, 'files'),
      sign(account, 'auth'),
      sign({ ...account, scopes: null }, 'files'),
      sign({ kind: 'public' }, 'files'),
    ])
    expect(new Set(tokens).size).toBe(4)
  })

  it('is checked by the key it names, so keys can be rotated', async () => {
    const { sign, verifierOf, pair } = setup()
    const next = keyPair('b')
    expect(await verifierOf('files', next.public, pair.public)(await sign(account, 'files'))).toEqual(account)
    await expect(verifierOf('files', next.public)(await sign(account, 'files'))).rejects.toThrow()
  })

  it('refuses a key that only claims a known name', async () => {
    const { verify } = setup()
    const forger = createPrincipalSigner({ privateKey: JSON.stringify(keyPair('a').private) })
    await expect(verify(await forger(account, 'files'))).rejects.toMatchObject({ code: 'unauthenticated' })
  })

  it.each([
    ['another issuer', { iss: 'files' }],
    ['no expiry', { exp: undefined }],
    ['a principal of no known kind', { principal: { kind: 'root' } }],
    ['no principal', { principal: undefined }],
  ])('refuses %s', async (_, changes) => {
    const { clock, pair, verify } = setup()
    const seconds = clock.nowMs / 1000
    const claims = { iss: 'gateway', aud: 'files', iat: seconds, exp: seconds + 60, principal: account, ...changes }
    const token = await new SignJWT(JSON.parse(JSON.stringify(claims)) as Record<string, unknown>)
      .setProtectedHeader({ alg: 'EdDSA', kid: 'a' })
      .sign(pair.privateKey)
    await expect(verify(token)).rejects.toMatchObject({ code: 'unauthenticated' })
  })

  it.each(['', 'x', 'a.b.c', 'eyJhbGciOiJub25lIn0.eyJhdWQiOiJmaWxlcyJ9.'])('refuses %j', async (token) => {
    await expect(setup().verify(token)).rejects.toMatchObject({ code: 'unauthenticated' })
  })
})
