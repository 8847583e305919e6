import { createRemoteJWKSet, decodeProtectedHeader, jwtVerify } from 'jose'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type IdentityProvider, startIdentityProvider } from '../../src/identity-provider.ts'
import { tokenAlgorithms } from '../../src/signing-keys.ts'

describe('startIdentityProvider', () => {
  let provider: IdentityProvider
  beforeAll(async () => {
    provider = await startIdentityProvider()
  })
  afterAll(() => provider.dispose())

  async function verify(token: string) {
    const { issuer, audience, jwksUrl } = provider
    return jwtVerify(token, createRemoteJWKSet(new URL(jwksUrl)), { issuer, audience })
  }

  it.each(tokenAlgorithms)('issues %s tokens that verify against its published keys', async (algorithm) => {
    const token = await provider.issueToken({ subject: 'user-1', algorithm })
    expect(decodeProtectedHeader(token).alg).toBe(algorithm)
    expect((await verify(token)).payload).toMatchObject({ sub: 'user-1', aud: provider.audience })
  })

  it('names its key set in its discovery document', async () => {
    const answer = await fetch(`${provider.issuer}/.well-known/openid-configuration`)
    expect(await answer.json()).toMatchObject({ issuer: provider.issuer, jwks_uri: provider.jwksUrl })
  })

  it.each(tokenAlgorithms)('signs hand-made %s tokens with the published keys', async (algorithm) => {
    const { issuer, audience } = provider
    const exp = Math.floor(Date.now() / 1000) + 60
    const token = provider.sign({ iss: issuer, aud: audience, exp, colour: 'blue' }, { algorithm })
    expect((await verify(token)).payload).toMatchObject({ colour: 'blue' })
  })

  it('signs headers as given, lies included', () => {
    const token = provider.sign({}, { header: { alg: 'HS256', kid: undefined, crit: ['exotic'], exotic: true } })
    expect(decodeProtectedHeader(token)).toEqual({ alg: 'HS256', crit: ['exotic'], exotic: true })
  })

  it('forgets old keys on rotation unless told to keep them', async () => {
    const first = await provider.issueToken({ subject: 'user-1' })
    await provider.rotateKeys({ keepOld: true })
    await expect(verify(first)).resolves.toBeDefined()
    await provider.rotateKeys({ keepOld: false })
    await expect(verify(first)).rejects.toThrow('no applicable key')
    await expect(verify(await provider.issueToken({ subject: 'user-1' }))).resolves.toBeDefined()
  })

  it('goes down and comes back at the same address', async () => {
    await provider.stop()
    await expect(fetch(provider.jwksUrl)).rejects.toThrow()
    await provider.start()
    expect((await fetch(provider.jwksUrl)).status).toBe(200)
  })
})
