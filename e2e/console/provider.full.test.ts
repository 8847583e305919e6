import { openPersonBrowser } from '@tideport/testing/person-browser'
import { waitFor } from '@tideport/testing/wait-for'
import type { Page } from 'playwright-core'
import { beforeAll, expect } from 'vitest'
import { browserTest } from '../support/browser/browser-test.ts'
import { expectAccessible } from '../support/console/expect-accessible.ts'
import { openPage, signOut } from '../support/console/open-console.ts'
import { changeMetadata, heading, refused, signIn, startProviderStack } from '../support/console/provider-stack.ts'

let consoleUrl: string
let issuer: string

/** Access tokens expire after 10 seconds. */
beforeAll(async () => {
  const stack = await startProviderStack({ accessTokenSeconds: 10 })
  issuer = stack.issuer
  consoleUrl = stack.consoleUrl
  return () => stack[Symbol.asyncDispose]()
})

/** Collects every token that the provider returns to the page. */
function watchTokens(page: Page): Set<string> {
  const tokens = new Set<string>()
  page.on('response', async (response) => {
    if (response.url() !== `${issuer}/token` || response.request().method() !== 'POST') return
    const { access_token, id_token, refresh_token } = await response.json()
    for (const token of [access_token, id_token, refresh_token]) if (token) tokens.add(token)
  })
  return tokens
}

browserTest('signs in, shows the vaults, and returns to the page that was requested', async ({ browsing }) => {
  const page = await openPage(browsing, `${consoleUrl}/trash`)
  const tokens = watchTokens(page)
  await expectAccessible(page, 'signing in at a provider')
  await signIn(page)
  await heading(page, 'Trash').waitFor()
  expect(page.url()).toBe(`${consoleUrl}/trash`)
  await page.getByRole('link', { name: 'Vaults' }).click()
  await heading(page, 'Default').waitFor()
  await page.reload()
  await heading(page, 'Default').waitFor()
  expect(tokens.size).toBeGreaterThan(3)
  const [local, session] = await page.evaluate<[string, string]>(
    '[JSON.stringify(localStorage) + document.cookie, JSON.stringify(sessionStorage)]',
  )
  for (const token of tokens) expect(local).not.toContain(token)
  // Only the refresh token survives a reload, in this tab.
  expect([...tokens].filter((token) => session.includes(token))).toHaveLength(1)
})

browserTest('renews an expiring token without interrupting the page', async ({ browsing }) => {
  const page = await openPage(browsing, consoleUrl)
  const tokens = watchTokens(page)
  const answers: number[] = []
  page.on('response', (response) => {
    if (response.url().includes('/api/')) answers.push(response.status())
  })
  await signIn(page)
  await heading(page, 'Default').waitFor()
  const before = new Set(tokens)
  await waitFor(
    async () => {
      await page.getByRole('link', { name: 'Trash' }).click()
      await heading(page, 'Trash').waitFor()
      await page.getByRole('link', { name: 'Vaults' }).click()
      await heading(page, 'Default').waitFor()
      return tokens.size >= before.size + 6
    },
    { what: 'two renewals', everyMs: 200 },
  )
  expect(answers).not.toContain(401)
})

browserTest.for([
  [503, 'temporarily_unavailable'],
  [429, 'too_many_requests'],
] as const)('keeps the session while the provider returns %i', async ([status, error], { browsing }) => {
  const page = await openPage(browsing, consoleUrl)
  await signIn(page)
  await heading(page, 'Default').waitFor()
  let asked = 0
  const headers = { 'access-control-allow-origin': '*' }
  await page.route(`${issuer}/token`, (route) => {
    asked += 1
    return route.fulfill({ status, json: { error }, headers })
  })
  await page.reload()
  await page.getByRole('alert').getByText('Sign-in failed.').waitFor()
  expect(asked).toBe(1)
  await page.unroute(`${issuer}/token`)
  await page.reload()
  await heading(page, 'Default').waitFor()
})

browserTest('sign-out ends the session here and at the provider, and Back shows nothing', async ({ browsing }) => {
  const page = await openPage(browsing, consoleUrl)
  await signIn(page)
  await heading(page, 'Default').waitFor()
  const kept = JSON.parse(await page.evaluate<string>('sessionStorage["tideport.session"]'))
  await signOut(page)
  await page.getByRole('button', { name: 'Yes, sign me out' }).click()
  await heading(page, 'Sign in').waitFor()
  expect(page.url()).toBe(`${consoleUrl}/`)
  expect(await page.evaluate('sessionStorage.length')).toBe(0)
  const fields = { grant_type: 'refresh_token', refresh_token: kept.refreshToken, client_id: 'tideport' }
  const again = await fetch(`${issuer}/token`, { method: 'POST', body: new URLSearchParams(fields) })
  expect(await again.json()).toMatchObject({ error: 'invalid_grant' })
  for (let steps = 0; steps < 4; steps++) {
    await page.goBack()
    expect(await heading(page, 'Default').count()).toBe(0)
    if (page.url().startsWith(consoleUrl)) await heading(page, 'Sign in').waitFor()
  }
})

browserTest('sign-out during a token renewal also revokes the new tokens', async ({ browsing }) => {
  const page = await openPage(browsing, consoleUrl)
  await signIn(page)
  await heading(page, 'Default').waitFor()
  let isAsked = false
  const goOn = Promise.withResolvers<void>()
  await page.route(`${issuer}/token`, async (route) => {
    isAsked = true
    await goOn.promise
    await route.continue()
  })
  const kept = () => page.evaluate<string | null>('sessionStorage["tideport.session"] ?? null')
  await waitFor(
    async () => {
      await page.getByRole('link', { name: 'Trash' }).click()
      await page.getByRole('link', { name: 'Vaults' }).click()
      return isAsked
    },
    { what: 'a renewal', everyMs: 200 },
  )
  await signOut(page)
  await heading(page, 'Sign in').waitFor()
  const ended = page.waitForRequest((request) => request.url().includes('/revocation'))
  goOn.resolve()
  const body = new URLSearchParams((await ended).postData() ?? '')
  await page.getByRole('button', { name: 'Yes, sign me out' }).click()
  await heading(page, 'Sign in').waitFor()
  expect(await kept()).toBeNull()
  const fields = { grant_type: 'refresh_token', refresh_token: body.get('token') ?? '', client_id: 'tideport' }
  const again = await fetch(`${issuer}/token`, { method: 'POST', body: new URLSearchParams(fields) })
  expect(await again.json()).toMatchObject({ error: 'invalid_grant' })
})

/** Starts a sign-in and stops at the provider. Returns the authorization URL. */
async function ask(page: Page): Promise<string> {
  const asked = Promise.withResolvers<string>()
  await page.route(`${issuer}/auth?*`, async (route) => {
    asked.resolve(route.request().url())
    await route.fulfill({ contentType: 'text/html', body: '<h1>The provider</h1>' })
  })
  await signIn(page)
  await heading(page, 'The provider').waitFor()
  return await asked.promise
}

/** The provider's redirect URL, obtained in another browser. */
const answerTo = async (asked: string) => new URL((await openPersonBrowser().visit(asked)).url)

type Change = (answer: URL, other: URL) => void
const changes: Record<string, Change> = {
  'has a foreign state': (answer) => answer.searchParams.set('state', 'guessed'),
  'has an empty state': (answer) => answer.searchParams.set('state', ''),
  'is from another issuer': (answer) => answer.searchParams.set('iss', 'https://evil.example'),
  'does not name its issuer': (answer) => answer.searchParams.delete('iss'),
  'belongs to another sign-in': (answer, other) => {
    answer.search = other.search
  },
  'has the code of another sign-in': (answer, other) => {
    answer.searchParams.set('code', other.searchParams.get('code') ?? '')
  },
}

browserTest.for(Object.entries(changes))('a response that %s signs nobody in', async ([, change], { browsing }) => {
  const page = await openPage(browsing, consoleUrl)
  const answer = await answerTo(await ask(page))
  const other = await answerTo(await ask(await openPage(browsing, consoleUrl)))
  const unchanged = answer.href
  change(answer, other)
  await page.goto(answer.href)
  await refused(page).waitFor()
  expect(page.url()).toBe(`${consoleUrl}/`)
  expect(await page.evaluate('sessionStorage.length')).toBe(0)
  // The original response is rejected afterwards too: each request accepts one response.
  await page.goto(unchanged)
  await refused(page).waitFor()
})

browserTest('accepts a response once and only in the tab that requested it', async ({ browsing }) => {
  const page = await openPage(browsing, consoleUrl)
  const answer = await answerTo(await ask(page))
  const stranger = await openPage(browsing, answer.href)
  await refused(stranger).waitFor()
  await page.goto(answer.href)
  await heading(page, 'Default').waitFor()
  await page.goto(`${consoleUrl}/?error=access_denied&state=x`)
  await refused(page).waitFor()
})

const addresses = ['//evil.example/x', '/?returnTo=https://evil.example', '/https://evil.example', '/\\evil.example']

browserTest.for(addresses)('sign-in at %s returns to the console', async (address, { browsing }) => {
  const page = await openPage(browsing, `${consoleUrl}${address}`)
  await signIn(page)
  await page.getByRole('navigation').waitFor()
  expect(page.url().startsWith(`${consoleUrl}/`)).toBe(true)
})

const lies = {
  'names another issuer': { issuer: 'https://evil.example' },
  'has a javascript: URL as an endpoint': { authorization_endpoint: 'javascript:alert(1)' },
  'has an endpoint without TLS': { token_endpoint: 'http://login.example/token' },
}

browserTest.for(Object.entries(lies))('does not redirect to a provider that %s', async ([, lie], { browsing }) => {
  const page = await openPage(browsing, consoleUrl)
  await changeMetadata(page, issuer, lie)
  await signIn(page)
  await refused(page).waitFor()
  expect(page.url()).toBe(consoleUrl)
})
