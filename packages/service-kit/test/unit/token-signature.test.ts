import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto'
import { SignJWT } from 'jose'
import { describe, expect, it } from 'vitest'
import { isSignedBy } from '../../src/http/token-signature.ts'

type Pair = { privateKey: KeyObject; publicKey: KeyObject }
const ec = (namedCurve: string) => generateKeyPairSync('ec', { namedCurve })
const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 })
const pairs: Record<string, Pair> = {
  ...Object.fromEntries(['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512'].map((algorithm) => [algorithm, rsa])),
  ...{ ES256: ec('P-256'), ES384: ec('P-384'), ES512: ec('P-521'), EdDSA: generateKeyPairSync('ed25519') },
}
const algorithms = Object.entries(pairs)

const signWith = (alg: string, { privateKey }: Pair) =>
  new SignJWT({ sub: 'ann' }).setProtectedHeader({ alg }).sign(privateKey)

describe('the signature of a token', () => {
  it.each(algorithms)('by %s is valid only for its key and its algorithm', async (algorithm, pair) => {
    const token = await signWith(algorithm, pair)
    for (const [other, { publicKey }] of algorithms)
      expect(isSignedBy(token, other, publicKey), other).toBe(other === algorithm)
    expect(isSignedBy(token, algorithm, pair.privateKey)).toBe(false)
    expect(isSignedBy(`${token.slice(0, -8)}AAAAAAAA`, algorithm, pair.publicKey)).toBe(false)
    expect(isSignedBy(token.slice(0, token.lastIndexOf('.') + 1), algorithm, pair.publicKey)).toBe(false)
  })

  it('is invalid for an algorithm that is not supported', async () => {
    const token = await signWith('EdDSA', pairs['EdDSA'] as Pair)
    for (const algorithm of ['none', 'HS256', 'Ed25519', 'toString', ''])
      expect(isSignedBy(token, algorithm, (pairs['EdDSA'] as Pair).publicKey), algorithm).toBe(false)
  })

  it('is invalid if the RSA key is too short', () => {
    const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 1024 })
    const token = `a.b.${sign('sha256', Buffer.from('a.b'), privateKey).toString('base64url')}`
    expect(isSignedBy(token, 'RS256', publicKey)).toBe(false)
  })
})
