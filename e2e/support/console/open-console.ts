import { waitFor } from '@tideport/testing/wait-for'
import type { BrowserContext, Page } from 'playwright-core'
import { expect } from 'vitest'
import { sharedStack } from '../shared-stack.ts'

/** The URL of the shared system's console; resolves when the console is built. */
export async function consoleUrl(gateway = 0): Promise<string> {
  const url = `${sharedStack().gatewayUrls[gateway]}/console`
  await waitFor(async () => (await fetch(url)).ok, { what: 'the console' })
  return url
}

export type OpenConsole = { page: Page; url: string; who: string }

/**
 * A page of the console, signed in as a new user or as `who`. Violations of its content security policy and errors fail
 * the test.
 */
export async function openConsole(
  browsing: BrowserContext,
  path = '',
  host = '127.0.0.1',
  who = `console-${crypto.randomUUID()}`,
): Promise<OpenConsole> {
  const url = (await consoleUrl()).replace('127.0.0.1', host)
  const page = await openPage(browsing, url + path)
  await signInAs(page, who)
  return { page, url, who }
}

export async function signInAs(page: Page, who: string): Promise<void> {
  await page.getByLabel('Other user').fill(who)
  await page.getByRole('button', { name: 'Continue', exact: true }).click()
  await page.getByRole('navigation', { name: 'Pages' }).waitFor()
}

export async function signOut(page: Page): Promise<void> {
  await page.getByText('Settings').click()
  await page.getByRole('button', { name: 'Sign out' }).click()
}

/** A page before sign-in. Errors in the page fail the test. */
export async function openPage(browsing: BrowserContext, url: string): Promise<Page> {
  const page = await browsing.newPage()
  page.on('pageerror', (error) => expect.unreachable(`the console threw: ${error.stack}`))
  page.on('console', (message) => {
    if (message.text().includes('Content Security Policy')) expect.unreachable(message.text())
  })
  await page.goto(url)
  await page.getByRole('heading', { level: 1 }).waitFor()
  return page
}
