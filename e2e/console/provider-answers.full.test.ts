import type { BrowserContext, Page, Route } from 'playwright-core'
import { beforeAll, expect } from 'vitest'
import { browserTest } from '../support/browser/browser-test.ts'
import { openPage, signOut } from '../support/console/open-console.ts'
import { changeMetadata, heading, refused, signIn, startProviderStack } from '../support/console/provider-stack.ts'

let consoleUrl: string
let issuer: string
/** A second origin of the same provider, which the console's policy allows. */
let elsewhere: string

beforeAll(async () => {
  const origins = (address: string) => ({ CONSOLE_CONNECT_ORIGINS: address.replace('127.0.0.1', 'localhost') })
  const stack = await startProviderStack({ environment: origins })
  issuer = stack.issuer
  elsewhere = origins(issuer).CONSOLE_CONNECT_ORIGINS
  consoleUrl = stack.consoleUrl
  return () => stack[Symbol.asyncDispose]()
})

async function signedIn(browsing: BrowserContext): Promise<Page> {
  const page = await openPage(browsing, consoleUrl)
  await signIn(page)
  await heading(page, 'Default').waitFor()
  return page
}

/** An ID token with changed claims. The console does not check its signature: the token comes from the provider itself. */
function changeClaims(idToken: string, changes: object): string {
  const [header, payload = '', signature] = idToken.split('.')
  const claims = { ...JSON.parse(Buffer.from(payload, 'base64url').toString()), ...changes }
  return [header, Buffer.from(JSON.stringify(claims)).toString('base64url'), signature].join('.')
}

const lies = {
  'has the nonce of another sign-in': { nonce: 'of another sign-in' },
  'has no nonce': { nonce: undefined },
  'is for another client': { aud: 'somebody-else' },
  'was issued to another client': { azp: 'somebody-else' },
  'has two audiences and was issued to another client': { aud: ['tideport', 'somebody-else'], azp: 'somebody-else' },
  'has two audiences and no `azp`': { aud: ['tideport', 'somebody-else'] },
  'has an empty `azp`': { azp: '' },
  'has expired': { exp: Math.floor(Date.now() / 1000) - 3600 },
}

browserTest.for(Object.entries(lies))('an ID token that %s signs nobody in', async ([, lie], { browsing }) => {
  const page = await openPage(browsing, consoleUrl)
  await page.route(`${issuer}/token`, async (route: Route) => {
    const answer = await route.fetch()
    const tokens = (await answer.json()) as { id_token: string }
    await route.fulfill({ response: answer, json: { ...tokens, id_token: changeClaims(tokens.id_token, lie) } })
  })
  await signIn(page)
  await refused(page).waitFor()
  expect(await page.evaluate('sessionStorage.length')).toBe(0)
})

browserTest('rejects a forged response in a signed-in tab and keeps the session', async ({ browsing }) => {
  const page = await signedIn(browsing)
  const asked: string[] = []
  page.on('request', (request) => asked.push(`${request.method()} ${request.url()}`))
  await page.goto(`${consoleUrl}/?code=of-somebody-else&state=guessed&iss=${encodeURIComponent(issuer)}`)
  await refused(page).waitFor()
  // The console sends the code nowhere and removes it from the URL.
  expect(asked.filter((one) => one === `POST ${issuer}/token`)).toEqual([])
  expect(page.url()).toBe(`${consoleUrl}/`)
  await page.reload()
  await heading(page, 'Default').waitFor()
})

browserTest('warns on sign-out that the session at an unreachable provider may remain', async ({ browsing }) => {
  const page = await signedIn(browsing)
  await page.route(`${issuer}/**`, (route) => route.abort())
  await signOut(page)
  await page.getByText('session at the identity provider may remain').waitFor()
  await heading(page, 'Sign in').waitFor()
  expect(await page.evaluate('sessionStorage.length')).toBe(0)
})

browserTest('says on the set-up page that the provider is unreachable', async ({ browsing }) => {
  const page = await openPage(browsing, consoleUrl)
  await page.route('**/api/set-up/options', (route) => route.fulfill({ json: { publicUrl: null, passkey: null } }))
  await page.route(`${issuer}/**`, (route) => route.abort())
  await page.goto(`${consoleUrl}/set-up#token=of-a-link`)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  await page.getByRole('alert').getByText('Sign-in failed.').waitFor()
})

browserTest('signs in at a provider with several origins only if the policy names them', async ({ browsing }) => {
  const page = await openPage(browsing, consoleUrl)
  await changeMetadata(page, issuer, { token_endpoint: `${elsewhere}/token` })
  const asked = page.waitForRequest(`${elsewhere}/token`)
  await signIn(page)
  await heading(page, 'Default').waitFor()
  await asked

  const other = await browsing.newPage()
  await other.goto(consoleUrl)
  await changeMetadata(other, issuer, { token_endpoint: 'http://localhost:9/token' })
  const blocked = other.waitForEvent('console', (message) => message.text().includes('Content Security Policy'))
  await signIn(other)
  await other.getByRole('alert').getByText('Sign-in failed.').waitFor()
  expect((await blocked).text()).toContain('http://localhost:9/token')
})
