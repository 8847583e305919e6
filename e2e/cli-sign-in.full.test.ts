import { readFile, stat, writeFile } from 'node:fs/promises'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { closeAtOnce, listenOnLoopback } from '@tideport/testing/loopback-server'
import { openPersonBrowser } from '@tideport/testing/person-browser'
import { startSignInProvider } from '@tideport/testing/sign-in-provider'
import { beforeAll, expect, test } from 'vitest'
import { cliUser } from './support/cli-account.ts'
import { startTestStack } from './support/start-test-stack.ts'

let provider: Awaited<ReturnType<typeof startSignInProvider>>
let baseUrl: string

/** An installation with a real identity provider. */
beforeAll(async () => {
  provider = await startSignInProvider()
  const stack = await startTestStack({
    env: {
      SERVICE_ENV: 'production',
      IDENTITY_PROVIDER_ISSUER: provider.issuer,
      IDENTITY_PROVIDER_AUDIENCE: provider.audience,
      IDENTITY_PROVIDER_CLIENT_ID: provider.clientId,
      IDENTITY_PROVIDER_SCOPES: 'openid',
      IDENTITY_PROVIDER_DEVICE_FLOW: 'true',
    },
  })
  baseUrl = stack.describe().gatewayUrls[0] as string
  return async () => {
    await stack[Symbol.asyncDispose]()
    await provider[Symbol.asyncDispose]()
  }
})

const nobody = { TIDEPORT_API_KEY: '', TIDEPORT_URL: '' }
type User = Awaited<ReturnType<typeof cliUser>>

/** Signs in with a local browser, as a person who agrees. */
async function signInByBrowser({ tideport }: User, url = baseUrl) {
  return await tideport(['login', '--url', url, '--browser', '--no-keyring', '--json'], {
    environment: nobody,
    onStderr: async (told) => {
      const [address] = /^http\S+$/m.exec(told) ?? []
      if (!address) return false
      await openPersonBrowser().visit(address)
      return true
    },
  })
}

const keptIn = async (keyIn: string) => JSON.parse(await readFile(keyIn, 'utf8'))

test.concurrent('a person signs in with a code on another device, works, and signs out permanently', async () => {
  await using user = await cliUser(baseUrl)
  const { tideport } = user
  const login = await tideport(['login', '--url', baseUrl, '--device', '--no-keyring', '--json'], {
    environment: nobody,
    onStderr: async (told) => {
      const [, page = '', code = ''] = /Open (\S+)\nand enter the code (\S+)/.exec(told) ?? []
      if (!page) return false
      const browser = openPersonBrowser()
      const confirm = await browser.submit(await browser.visit(page), { user_code: code })
      expect((await browser.submit(confirm, { confirm: 'yes' })).status).toBe(200)
      return true
    },
  })
  expect(login).toMatchObject({ code: 0 })
  const [{ keyIn }] = login.values()
  expect((await stat(keyIn)).mode & 0o777).toBe(0o600)
  const { accessToken, refreshToken } = await keptIn(keyIn)
  expect(login.stdout + login.stderr).not.toContain(accessToken)
  expect(await tideport(['vaults'], { environment: nobody })).toMatchObject({ code: 0, stdout: expect.stringMatching(/default/) }) // biome-ignore format: one claim
  expect((await tideport(['logout', '--json'], { environment: nobody })).values()).toMatchObject([{ revoked: true }])
  const form = { grant_type: 'refresh_token', refresh_token: refreshToken, client_id: provider.clientId }
  const again = await fetch(`${provider.issuer}/token`, { method: 'POST', body: new URLSearchParams(form) })
  expect(await again.json()).toMatchObject({ error: 'invalid_grant' })
  expect(await tideport(['vaults'], { environment: nobody })).toMatchObject({ code: 4 })
})

test.concurrent('a person signs in with a local browser, and many commands renew an expired or rejected token once', async () => {
  await using user = await cliUser(baseUrl)
  const { tideport } = user
  const login = await signInByBrowser(user)
  expect(login).toMatchObject({ code: 0 })
  const [{ keyIn }] = login.values()
  const change = async (session: object) => writeFile(keyIn, JSON.stringify({ ...(await keptIn(keyIn)), ...session }))
  const first = await keptIn(keyIn)
  expect(first.expiresAt).toBeGreaterThan(Date.now())
  const names = ['One', 'Two', 'Three', 'Four', 'Five']
  let before = first.refreshToken
  // The second login has a token that the provider has revoked, or whose expiry the local clock does not show.
  for (const session of [{ expiresAt: 1 }, { accessToken: 'a.b.c' }]) {
    await change(session)
    // The provider accepts a refresh token once: a second use would end the login.
    const runs = await Promise.all(names.map((name) => tideport(['vaults', 'create', name], { environment: nobody })))
    expect(runs.map(({ code, stderr }) => [code, stderr])).toEqual(Array(5).fill([0, '']))
    const { refreshToken } = await keptIn(keyIn)
    expect(refreshToken).not.toBe(before)
    before = refreshToken
  }
  expect(await tideport(['vaults'], { environment: nobody })).toMatchObject({ code: 0, stdout: expect.stringContaining('five') }) // biome-ignore format: one claim
  await change({ expiresAt: 1 })
  expect(await tideport(['doctor'], { environment: nobody })).toMatchObject({ code: 0, stdout: expect.stringContaining('The key is valid') }) // biome-ignore format: one claim
  // The refresh token is missing or already used.
  const ended = { code: 4, stdout: '', stderr: expect.stringContaining('Log in again') }
  for (const session of [
    { accessToken: 'a.b.c', refreshToken: null },
    { ...first, accessToken: 'a.b.c' },
    { ...first, expiresAt: 1 },
  ]) {
    await change(session)
    expect(await tideport(['vaults'], { environment: nobody })).toMatchObject(ended)
  }
})

test.concurrent('a callback without the right state is ignored, and a response of another issuer stops the sign-in', async () => {
  await using user = await cliUser(baseUrl)
  const statuses: number[] = []
  const login = await user.tideport(['login', '--url', baseUrl, '--browser', '--no-keyring'], {
    environment: nobody,
    onStderr: async (told) => {
      const [address] = /^http\S+$/m.exec(told) ?? []
      if (!address) return false
      const asked = new URL(address).searchParams
      expect(asked.get('code_challenge_method')).toBe('S256')
      const back = asked.get('redirect_uri') as string
      const visit = async (query: string, method = 'GET') => statuses.push((await fetch(`${back}${query}`, { method })).status) // biome-ignore format: one call
      await visit('?code=stolen')
      await visit('?code=stolen&state=guessed')
      await visit(`?code=stolen&state=${asked.get('state')}`, 'POST')
      await visit(`?code=stolen&state=${asked.get('state')}&iss=https://evil.example`)
      return true
    },
  })
  expect(statuses).toEqual([400, 400, 400, 200])
  expect(login).toMatchObject({ code: 1, stderr: expect.stringContaining('another identity provider') })
})

test.concurrent('login without a terminal reports what it needs, and stops on request', async () => {
  await using user = await cliUser(baseUrl)
  const { tideport } = user
  expect(await tideport(['login', '--url', baseUrl], { environment: nobody })).toMatchObject({ code: 1, stderr: expect.stringContaining('--token-stdin') }) // biome-ignore format: one claim
  expect(await tideport(['login', '--url', baseUrl, '--device', '--browser'], { environment: nobody })).toMatchObject({ code: 1 }) // biome-ignore format: one claim
  const stop = new AbortController()
  const stopped = await tideport(['login', '--url', baseUrl, '--device'], {
    environment: nobody,
    stop: stop.signal,
    onStderr: async (told) => {
      if (told.includes('enter the code')) stop.abort()
      return told.includes('enter the code')
    },
  })
  expect(stopped).toMatchObject({ code: 2 })
})

type Lie = (issuer: string) => { discovery?: object; device?: object; token?: object; status?: number }

const lies: Record<string, [Lie, RegExp]> = {
  'describes another issuer': [
    () => ({ discovery: { issuer: 'https://elsewhere.example' } }),
    /does not describe the issuer/,
  ],
  'has remote endpoints without TLS': [() => ({ discovery: { token_endpoint: 'http://elsewhere.example/token' } }), /not an https URL/], // biome-ignore format: one row
  'has a sign-in page with a javascript: URL': [
    () => ({ device: { verification_uri: 'javascript:alert(1)' } }),
    /not an https URL/,
  ],
  'returns a token with a line break': [() => ({ token: { access_token: 'a\r\nx: y', token_type: 'Bearer' } }), /without a token/], // biome-ignore format: one row
  'returns another type of token': [() => ({ token: { access_token: 'a', token_type: 'DPoP' } }), /without a token/],
  'returns an error with terminal escape sequences': [() => ({ status: 400, token: { error: 'access_denied', error_description: '\u001b[2Jno' } }), /rejected the request: \ufffd\[2Jno/], // biome-ignore format: one row
  'returns an oversized response': [
    () => ({ token: { access_token: 'x'.repeat(1_000_000), token_type: 'Bearer' } }),
    /without a token/,
  ],
  'returns no code': [() => ({ device: { device_code: 7 } }), /without a code/],
  redirects: [() => ({ status: 302, token: {} }), /status 302/],
}

test.concurrent.for(Object.entries(lies))('rejects a provider that %s', async ([, [lie, expected]]) => {
  await using user = await cliUser(baseUrl)
  const server = createServer((request, response) => answerLie(lie(issuer), issuer, request, response))
  const issuer = `http://127.0.0.1:${await listenOnLoopback(server)}`
  try {
    const login = await user.tideport(['login', '--url', issuer, '--device', '--no-keyring'], { environment: nobody })
    expect(login).toMatchObject({ code: 1, stdout: '', stderr: expect.stringMatching(expected) })
    expect(login.stderr).not.toContain('\u001b')
  } finally {
    await closeAtOnce(server)
  }
})

/** One server is both the service and the provider. */
function answerLie(lie: ReturnType<Lie>, issuer: string, request: IncomingMessage, response: ServerResponse): void {
  const path = request.url?.split('?')[0] as string
  const identityProvider = { issuer, clientId: 'x', scopes: ['openid'], parameters: {}, deviceFlow: true }
  const discovery = { issuer, authorization_endpoint: `${issuer}/auth`, token_endpoint: `${issuer}/token`, device_authorization_endpoint: `${issuer}/device` } // biome-ignore format: one line
  const device = { device_code: 'd', user_code: 'ABCD', verification_uri: `${issuer}/go`, expires_in: 60, interval: 1 }
  const answers: Record<string, [number, object]> = {
    '/api/sign-in': [200, { identityProvider, development: false }],
    '/.well-known/openid-configuration': [200, { ...discovery, ...lie.discovery }],
    '/device': [200, { ...device, ...lie.device }],
    '/token': [lie.status ?? 200, lie.token ?? {}],
  }
  const [status, body] = answers[path] ?? [404, {}]
  response.writeHead(status, { 'content-type': 'application/json', location: 'http://127.0.0.1:9/' })
  response.end(JSON.stringify(body))
}
