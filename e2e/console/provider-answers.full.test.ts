import type { BrowserContext, Page, Route } from 'playwright-core'
import { beforeAll, expect } from 'vitest'
import { browserTest } from '../support/browser/browser-test.ts'
import { openPage, signOut } from '../support/console/open-console.ts'
import { changeMetadata, heading, refused, signIn, startProviderStack } from '../support/console/provider-stack.ts'

let consoleUrl: string
let issuer: string
/** The same provider by another name: its second origin, which the console's policy names. */
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

/** An id token that says something else. Nobody checks its signature: it comes from the provider itself. */
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
  'is over': { exp: Math.floor(Date.now() / 1000) - 3600 },
}

browserTest.for(Object.entries(lies))('an id token that %s signs nobody in', async ([, lie], { browsing }) => {
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

browserTest(
  'an answer that somebody forged is refused in a tab that is signed in, which stays theirs',
  async ({ browsing }) => {
    const page = await signedIn(browsing)
    const asked: string[] = []
    page.on('request', (request) => asked.push(`${request.method()} ${request.url()}`))
    await page.goto(`${consoleUrl}/?code=of-somebody-else&state=guessed&iss=${encodeURIComponent(issuer)}`)
    await refused(page).waitFor()
    // The code was shown to nobody, and is in no address.
    expect(asked.filter((one) => one === `POST ${issuer}/token`)).toEqual([])
    expect(page.url()).toBe(`${consoleUrl}/`)
    await page.reload()
    await heading(page, 'Default').waitFor()
  },
)

browserTest(
  'whoever signs out while the provider is away is told that they may still be signed in there',
  async ({ browsing }) => {
    const page = await signedIn(browsing)
    await page.route(`${issuer}/**`, (route) => route.abort())
    await signOut(page)
    await page.getByText('you are signed out here, but perhaps not there').waitFor()
    await heading(page, 'Sign in').waitFor()
    expect(await page.evaluate('sessionStorage.length')).toBe(0)
  },
)

browserTest(
  'a provider of several origins signs people in where the policy names them, and only there',
  async ({ browsing }) => {
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
    await other.getByRole('alert').getByText('Signing in did not work').waitFor()
    expect((await blocked).text()).toContain('http://localhost:9/token')
  },
)
