import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import { createKey } from '../support/account.ts'
import { browserTest } from '../support/browser/browser-test.ts'
import { operations } from '../support/operations.ts'
import { freshAccount } from '../support/shared-stack.ts'

/** Records all messages and requests of a page from now on. */
function watch(page: Page) {
  const seen = { complaints: [] as string[], requests: [] as string[] }
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) seen.complaints.push(message.text())
  })
  page.on('pageerror', (error) => seen.complaints.push(error.message))
  page.on('request', (request) => seen.requests.push(request.url()))
  return seen
}

browserTest(
  'the page at /docs shows every operation, sends requests only to its gateway, and complies with its policy',
  async ({ browsing }) => {
    const { baseUrl } = freshAccount()
    const page = await browsing.newPage()
    const { complaints, requests } = watch(page)
    await page.goto(`${baseUrl}/docs`)
    await page.getByText('Create a vault', { exact: true }).click()
    await page.getByText('Request body', { exact: true }).waitFor()
    const shown = await page
      .locator('.opblock-summary')
      .evaluateAll((rows) =>
        rows.map((row) => ['method', 'path'].map((part) => row.querySelector(`.opblock-summary-${part}`)?.textContent)),
      )
    const readable = shown.map(([method, path]) => `${method} ${path?.replaceAll('\u200b', '')}`)
    expect(readable).toEqual(expect.arrayContaining(operations.map(({ method, path }) => `${method} ${path}`)))
    expect(requests.length).toBeGreaterThan(4)
    expect(requests.filter((url) => !url.startsWith('data:') && new URL(url).origin !== baseUrl)).toEqual([])
    expect(complaints).toEqual([])
  },
)

browserTest('a request from the page goes to its own gateway with the entered key', async ({ browsing }) => {
  const client = freshAccount()
  const { id, key } = await createKey(client, { name: 'Tried out' })
  const page = await browsing.newPage()
  const { complaints } = watch(page)
  // A host name of this machine that differs from the one in the description.
  await page.goto(`${client.baseUrl.replace('127.0.0.1', 'localhost')}/docs`)
  await page.getByRole('button', { name: 'Authorize' }).click()
  await page.locator('.auth-container input').first().fill(key)
  await page.getByRole('button', { name: 'Apply credentials' }).first().click()
  await page.getByRole('button', { name: 'Close' }).first().click()
  await page.getByText('List API keys', { exact: true }).click()
  await page.getByRole('button', { name: 'Try it out' }).click()
  const [answer] = await Promise.all([
    page.waitForResponse((response) => response.url().includes('/api/auth/api-keys')),
    page.getByRole('button', { name: 'Execute' }).click(),
  ])
  expect(await answer.json()).toMatchObject({ apiKeys: [{ id, name: 'Tried out' }] })
  expect(new URL(answer.url()).host).toBe(new URL(page.url()).host)
  expect(await page.evaluate(() => JSON.stringify([{ ...localStorage }, { ...sessionStorage }]))).not.toContain(key)
  expect(complaints).toEqual([])
})
