import { freePort } from '@tideport/dev-stack/ports/free-port'
import { waitFor } from '@tideport/testing/wait-for'
import type { Page } from 'playwright-core'
import { beforeAll, expect } from 'vitest'
import { browserTest } from '../support/browser/browser-test.ts'
import { expectAccessible } from '../support/console/expect-accessible.ts'
import { openPage, signOut } from '../support/console/open-console.ts'
import { runStatement } from '../support/database.ts'
import { startTestStack } from '../support/start-test-stack.ts'

let stack: Awaited<ReturnType<typeof startTestStack>>

/** Passkeys need a host name. */
const consoleUrl = (host = 'localhost') =>
  `${(stack.describe().gatewayUrls[0] as string).replace('127.0.0.1', host)}/console`
const heading = (page: Page, name: string) => page.getByRole('heading', { name, exact: true })
const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true })

beforeAll(async () => {
  const port = await freePort()
  stack = await startTestStack({
    console: true,
    port,
    env: { SERVICE_ENV: 'production', PUBLIC_URL: `http://localhost:${port}` },
  })
  await waitFor(async () => (await fetch(consoleUrl('127.0.0.1'))).ok, { what: 'the console' })
  return () => stack[Symbol.asyncDispose]()
})

/** A set-up link, as of an operator. */
async function setUpLink(host?: string): Promise<string> {
  const token = crypto.randomUUID()
  await runStatement(
    stack.describe(),
    `insert into auth.set_up_token (digest, expires_at) values (sha256('${token}'), now() + interval '1 hour')
     on conflict (singleton) do update set digest = excluded.digest, expires_at = excluded.expires_at`,
  )
  return `${consoleUrl(host)}/set-up#token=${token}`
}

async function closeCode(page: Page): Promise<string> {
  const dialog = page.getByRole('dialog')
  const code = await dialog.getByLabel('Recovery code').inputValue()
  // Without a copy, the dialog warns first.
  for (let click = 0; click < 2; click++) await dialog.getByText('Close', { exact: true }).click()
  await dialog.waitFor({ state: 'detached' })
  return code
}

async function addAuthenticator(page: Page): Promise<void> {
  const devtools = await page.context().newCDPSession(page)
  await devtools.send('WebAuthn.enable')
  await devtools.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  })
}

browserTest('the set-up link creates an owner, who signs in again with the passkey', async ({ browsing }) => {
  const page = await openPage(browsing, `${consoleUrl()}/trash`)
  await addAuthenticator(page)
  const link = await setUpLink()
  await page.goto(link)
  await heading(page, 'How do you want to sign in?').waitFor()
  expect(page.url()).not.toContain('token')
  await expectAccessible(page, 'the set-up')
  await button(page, 'Create passkey').click()
  await page.getByRole('dialog').waitFor()
  await expectAccessible(page, 'the recovery code')
  await closeCode(page)
  await page.getByRole('navigation', { name: 'Pages' }).waitFor()
  // The set-up ends with the checks, and the checks with an empty vault.
  await page.getByText('A test file was uploaded to').waitFor()
  await expectAccessible(page, 'the checks')
  await page.getByRole('link', { name: 'Open vault' }).click()
  await page.getByText('Drop files or folders here').waitFor()

  await signOut(page)
  await heading(page, 'Owner').waitFor()
  await expectAccessible(page, 'the owner’s sign-in')
  await button(page, 'Sign in with passkey').click()
  await page.getByRole('navigation', { name: 'Pages' }).waitFor()

  // The owner is an operator, and learns about releases on the first page.
  const release = { running: '0.1.0', newer: { version: '0.2.0', notesUrl: 'https://docs.example.org/' } }
  await page.route('**/api/operator/release', (route) => route.fulfill({ json: release }))
  await page.goto(consoleUrl())
  await page.getByText('Tideport 0.2.0 is available.').waitFor()
  await page.getByRole('link', { name: 'Operators' }).click()
  await page.getByRole('table', { name: 'Files by state' }).waitFor()

  await page.getByText('Settings').click()
  await page.getByRole('link', { name: 'Passkeys and recovery code' }).click()
  await heading(page, 'First passkey').waitFor()
  await expectAccessible(page, 'the passkeys')
  await page.getByRole('button', { name: 'Add passkey' }).click()
  await page.getByRole('dialog').getByLabel('Name').fill('Second')
  await page.getByRole('dialog').getByRole('button', { name: 'Add passkey' }).click()
  // The device already has a passkey.
  await page.getByText('No passkey was created').waitFor()
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: 'Rename: First passkey' }).click()
  await page.getByRole('dialog').getByLabel('Name').fill('Laptop')
  await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click()
  await heading(page, 'Laptop').waitFor()
  await button(page, 'Replace code').click()
  await page.getByRole('dialog').getByRole('button', { name: 'Replace code' }).click()
  expect(await closeCode(page)).toMatch(/^\w{4}(-\w{4}){6}$/)
  await page.getByRole('button', { name: 'Delete: Laptop' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
  await heading(page, 'No passkeys yet').waitFor()

  await page.getByRole('link', { name: 'API keys' }).click()
  await page.getByText('Session', { exact: true }).first().waitFor()
  expect(await page.getByRole('button', { name: /^Rotate/ }).count()).toBe(0)

  const stranger = await openPage(browsing, link)
  await stranger.getByText('The link is not valid').waitFor()
  expect(await button(stranger, 'Create passkey').count()).toBe(0)
  // In the same tab, a new link changes only the fragment of the address.
  await stranger.evaluate(`location.hash = '${new URL(await setUpLink()).hash}'`)
  await heading(stranger, 'How do you want to sign in?').waitFor()
  expect([stranger.url(), await stranger.getByText('The link is not valid').count()]).toEqual([
    `${consoleUrl()}/set-up`,
    0,
  ])
})

browserTest('on an IP address only the recovery code signs in, and each use replaces it', async ({ browsing }) => {
  const link = await setUpLink('127.0.0.1')
  const page = await openPage(browsing, link)
  const slower = await openPage(browsing, link)
  await button(slower, 'Use only the recovery code').waitFor()
  await button(page, 'Use only the recovery code').click()
  const first = await closeCode(page)
  // Of two browsers with one link, one creates the owner.
  await button(slower, 'Use only the recovery code').click()
  await slower.getByText('The link is not valid').waitFor()
  expect(await slower.evaluate('sessionStorage.length')).toBe(0)
  await signOut(page)
  await page.getByText(`Passkeys work only at ${new URL(consoleUrl()).origin}`).waitFor()
  const next = await recover(page, first)
  expect(next).not.toBe(first)
  await signOut(page)
  await page.getByLabel('Recovery code').fill(first)
  await button(page, 'Sign in with code').click()
  await page.getByText('The recovery code is wrong or was used.').waitFor()
})

async function recover(page: Page, code: string): Promise<string> {
  await page.getByLabel('Recovery code').fill(code)
  await button(page, 'Sign in with code').click()
  return await closeCode(page)
}
