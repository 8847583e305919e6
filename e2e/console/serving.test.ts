import { expect, test } from 'vitest'
import { browserTest } from '../support/browser/browser-test.ts'
import { consoleUrl, openConsole, openPage } from '../support/console/open-console.ts'

browserTest('an address within is opened directly, and one that is none says so', async ({ browsing }) => {
  const { page, url } = await openConsole(browsing, '/no/such/page')
  await page.getByRole('heading', { name: 'There is no such page', level: 1 }).waitFor()
  await page.getByRole('link', { name: 'Go to the start' }).click()
  await page.getByRole('heading', { name: 'Vaults', level: 1 }).waitFor()
  expect(new URL(page.url()).pathname).toBe(new URL(`${url}/`).pathname)
})

browserTest('all that a first load takes is less than 100 kB', async ({ browsing }) => {
  const page = await openPage(browsing, await consoleUrl())
  const script = `performance.getEntries().reduce((sum, { transferSize = 0, name }) => sum + (name.includes('/console') ? transferSize : 0), 0)`
  expect(await page.evaluate(script)).toBeLessThan(100_000)
})

test('every gateway gives the same page', async () => {
  const pages = await Promise.all([0, 1].map(async (gateway) => (await fetch(await consoleUrl(gateway))).text()))
  expect(pages[0]).toBe(pages[1])
})
