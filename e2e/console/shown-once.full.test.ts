import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import { browserTest } from '../support/browser/browser-test.ts'
import { copy } from '../support/console/copy.ts'
import { goTo } from '../support/console/go-to.ts'
import { openConsole } from '../support/console/open-console.ts'

const dialogOf = (page: Page) => page.getByRole('dialog', { name: /^API key for/ })
const secretOf = (page: Page) => dialogOf(page).getByLabel('API key')
const warning = (page: Page) => dialogOf(page).getByRole('alert').getByText('You have not copied this yet')

async function askForKey(page: Page): Promise<void> {
  await page.getByRole('button', { name: /^Create key/ }).click()
  await page.getByRole('dialog').getByLabel('Name').fill('Backup')
  await page.keyboard.press('Enter')
}

browserTest('keeps a secret that is shown once visible across pages', async ({ browsing }) => {
  const { page } = await openConsole(browsing)
  await goTo(page, 'Jobs')
  await goTo(page, 'API keys')
  await askForKey(page)
  const secret = await secretOf(page).inputValue()
  await page.goBack()
  await warning(page).waitFor()
  await page.goBack()
  await page.locator('h1', { hasText: 'Vaults' }).waitFor()
  expect(await secretOf(page).inputValue()).toBe(secret)
  await page.goForward()
  await page.locator('h1', { hasText: 'Jobs' }).waitFor()
  expect(await secretOf(page).inputValue()).toBe(secret)
  await copy(dialogOf(page))
  await page.goBack()
  await dialogOf(page).waitFor({ state: 'detached' })
  expect(await page.evaluate('document.activeElement.localName')).toBe('main')
  expect(await page.content()).not.toContain(secret)
})

browserTest('does not count selected text as copied', async ({ browsing }) => {
  const { page } = await openConsole(browsing, '/keys')
  await page.evaluate("navigator.clipboard.writeText = () => Promise.reject(new Error('Forbidden'))")
  await askForKey(page)
  await dialogOf(page).getByRole('button', { name: 'Copy' }).click()
  await dialogOf(page).getByText('The text is selected').waitFor()
  await page.keyboard.press('Escape')
  await warning(page).waitFor()
})

browserTest(
  'shows the secret after the user has left the page and after the session has expired',
  async ({ browsing }) => {
    const { page } = await openConsole(browsing, '/keys')
    const held = Promise.withResolvers<void>()
    await page.route('**/api/auth/api-keys', async (route) => {
      if (route.request().method() !== 'POST') return route.fallback()
      await held.promise
      await route.continue()
    })
    const asked = page.waitForRequest((request) => request.method() === 'POST')
    await askForKey(page)
    await asked
    await page.keyboard.press('Escape')
    await goTo(page, 'Jobs')
    const refusal = { error: { code: 'unauthorized', message: 'No', requestId: 'none' } }
    await page.route(/\/api\/account/, (route) => route.fulfill({ status: 401, json: refusal }))
    held.resolve()
    expect(await secretOf(page).inputValue()).toMatch(/^tdp_/)
    await page.evaluate("history.pushState(null, '', './usage')")
    await page.locator('h1', { hasText: 'Sign in' }).waitFor()
    expect(await secretOf(page).inputValue()).toMatch(/^tdp_/)
  },
)

browserTest('asks before a reload until the secret is copied', async ({ browsing }) => {
  const { page } = await openConsole(browsing, '/keys')
  await askForKey(page)
  const secret = await secretOf(page).inputValue()
  const asked = page.waitForEvent('dialog')
  await page.evaluate('setTimeout(() => location.reload())')
  const question = await asked
  expect(question.type()).toBe('beforeunload')
  await question.dismiss()
  expect(await secretOf(page).inputValue()).toBe(secret)
  await copy(dialogOf(page))
  const more: string[] = []
  page.on('dialog', (another) => {
    more.push(another.type())
    void another.accept()
  })
  await page.reload()
  await page.locator('h1', { hasText: 'API keys' }).waitFor()
  expect(more).toEqual([])
})
