import { expect, it } from 'vitest'
import { request, startGateway } from '../bundle.ts'

const issuer = 'https://login.example.com'

async function ask(env: Record<string, string>) {
  await using gateway = await startGateway(env)
  const { status, body } = await request(`${gateway.url}/api/sign-in`)
  expect(status).toBe(200)
  return body
}

it('tells anyone the provider, the public client and what to ask it for, and no more', async () => {
  const signIn = await ask({
    IDENTITY_PROVIDER_ISSUER: issuer,
    IDENTITY_PROVIDER_AUDIENCE: 'tideport',
    IDENTITY_PROVIDER_CLIENT_ID: 'console',
    IDENTITY_PROVIDER_SCOPES: 'openid,email',
    IDENTITY_PROVIDER_PARAMETERS: 'audience=tideport&resource=https%3A%2F%2Ffiles.example.com',
    IDENTITY_PROVIDER_DEVICE_FLOW: 'true',
  })
  expect(signIn).toEqual({
    identityProvider: {
      issuer,
      clientId: 'console',
      scopes: ['openid', 'email'],
      parameters: { audience: 'tideport', resource: 'https://files.example.com' },
      deviceFlow: true,
    },
    development: false,
  })
})

it('tells of no provider where there is no client for people', async () => {
  const provider = { IDENTITY_PROVIDER_ISSUER: issuer, IDENTITY_PROVIDER_AUDIENCE: 'tideport' }
  expect(await ask(provider)).toEqual({ identityProvider: null, development: false })
})

it('says when development mode is on', async () => {
  const development = { SERVICE_ENV: 'development', HOST: '127.0.0.1' }
  expect(await ask(development)).toEqual({ identityProvider: null, development: true })
})

it('answers HEAD, and other methods 405', async () => {
  await using gateway = await startGateway({})
  const asked = async (method: string) => (await request(`${gateway.url}/api/sign-in`, { method })).status
  expect([await asked('HEAD'), await asked('POST')]).toEqual([200, 405])
})
