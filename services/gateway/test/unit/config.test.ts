import { ConfigError, loadConfig } from '@tideport/service-kit/config/config'
import { describe, expect, it } from 'vitest'
import { isDevelopment, settings } from '../../src/config.ts'

const minimal = {
  AUTH_URL: 'http://auth:8081',
  FILES_URL: 'http://files-0:8082, http://files-1:8082',
  WEBHOOKS_URL: 'http://webhooks:8083',
  IDENTITY_TOKEN_PRIVATE_KEY: JSON.stringify({ kty: 'OKP', crv: 'Ed25519', kid: 'k', x: 'x', d: 'secret-d' }),
}
const load = (env: Record<string, string>) => loadConfig(settings, { ...minimal, ...env })
const development = { SERVICE_ENV: 'development' }

function faultsOf(env: Record<string, string>): string {
  try {
    load(env)
  } catch (error) {
    if (error instanceof ConfigError) return error.message
    throw error
  }
  return ''
}

describe('the settings of the gateway', () => {
  it.each([undefined, '', 'production', 'Development', 'development ', 'dev'])(
    'are those of production with SERVICE_ENV=%j: only the exact word is development mode (A5)',
    (word) => {
      expect(isDevelopment(load(word === undefined ? {} : { SERVICE_ENV: word }).serviceEnv)).toBe(false)
      expect(isDevelopment(load({ ...development, HOST: '127.0.0.1' }).serviceEnv)).toBe(true)
    },
  )

  it('reject development mode on a reachable address unless a setting allows it', () => {
    for (const HOST of ['0.0.0.0', '::', '10.0.0.5', 'gateway.internal']) {
      expect(faultsOf({ ...development, HOST })).toMatch(/HOST/)
      expect(faultsOf({ ...development, HOST, DEVELOPMENT_ALLOW_NETWORK: 'true' })).toBe('')
    }
    expect(faultsOf(development)).toMatch(/HOST/)
    for (const HOST of ['127.0.0.1', '::1', 'localhost']) expect(faultsOf({ ...development, HOST })).toBe('')
  })

  it('accept a claim and a value of the provider’s tokens for operators', () => {
    const provider = { IDENTITY_PROVIDER_ISSUER: 'https://idp.test', IDENTITY_PROVIDER_AUDIENCE: 'tideport' }
    const claimOf = (text: string) => load({ ...provider, OPERATOR_CLAIM: text }).operatorClaim
    expect(claimOf('groups=tideport-operators')).toEqual({ name: 'groups', value: 'tideport-operators' })
    expect(claimOf('https://a.test/roles=CN=ops, OU=x')).toEqual({
      name: 'https://a.test/roles',
      value: 'CN=ops, OU=x',
    })
    for (const text of ['groups', '=ops', 'groups=', 'groups= ops', 'my groups=ops'])
      expect(faultsOf({ ...provider, OPERATOR_CLAIM: text }), text).toMatch(/OPERATOR_CLAIM/)
    expect(faultsOf({ OPERATOR_CLAIM: 'groups=ops' })).toMatch(/IDENTITY_PROVIDER_ISSUER/)
  })

  it('reject a symmetric algorithm and an issuer without an audience, and never show the key', () => {
    expect(faultsOf({ IDENTITY_PROVIDER_ALGORITHMS: 'HS256' })).toMatch(/IDENTITY_PROVIDER_ALGORITHMS/)
    expect(faultsOf({ IDENTITY_PROVIDER_ALGORITHMS: 'none' })).toMatch(/IDENTITY_PROVIDER_ALGORITHMS/)
    expect(faultsOf({ IDENTITY_PROVIDER_ISSUER: 'https://idp.test' })).toMatch(/IDENTITY_PROVIDER_AUDIENCE/)
    const wrongKey = faultsOf({ IDENTITY_TOKEN_PRIVATE_KEY: '{"d":"secret-d"}' })
    expect(wrongKey).toMatch(/IDENTITY_TOKEN_PRIVATE_KEY/)
    expect(wrongKey).not.toContain('secret-d')
  })
})
