import { expect } from 'vitest'
import { browserTest } from '../support/browser/browser-test.ts'
import { expectAccessible } from '../support/console/expect-accessible.ts'
import { consoleUrl, openConsole, openPage } from '../support/console/open-console.ts'

browserTest('opens a page by its address and reports an unknown address', async ({ browsing }) => {
  const { page, url } = await openConsole(browsing, '/no/such/page')
  await page.getByRole('heading', { name: 'Page not found', level: 1 }).waitFor()
  await page.getByRole('link', { name: 'Go to the home page' }).click()
  await page.getByRole('heading', { name: 'Vaults', level: 1 }).waitFor()
  expect(new URL(page.url()).pathname).toBe(new URL(`${url}/`).pathname)
})

browserTest('reports that a page is still loading while the service does not respond', async ({ browsing }) => {
  const { page } = await openConsole(browsing)
  await page.clock.install()
  const asked = page.waitForRequest('**/api/webhooks**')
  // The request never gets a response.
  await page.route('**/api/webhooks**', () => {})
  await page.getByRole('link', { name: 'Webhooks', exact: true }).click()
  await asked
  await page.getByRole('status').getByText('Loading', { exact: true }).waitFor()
  await page.clock.runFor(10_000)
  await page.getByRole('status').getByText('Still loading. The service or your connection is slow.').waitFor()
  await expectAccessible(page, 'a page that waits')
})

browserTest('the first load takes less than 100 kB', async ({ browsing }) => {
  const page = await openPage(browsing, await consoleUrl())
  const script = `performance.getEntries().reduce((sum, { transferSize = 0, name }) => sum + (name.includes('/console') ? transferSize : 0), 0)`
  expect(await page.evaluate(script)).toBeLessThan(100_000)
})

browserTest(
  'preloads pages on hover in data-saving mode and retries a page that fails to load',
  async ({ browsing }) => {
    await browsing.addInitScript("Object.defineProperty(navigator, 'connection', { value: { saveData: true } })")
    const loaded = new Set<string>()
    browsing.on('request', (request) => loaded.add(/([a-z-]+)-[0-9a-f]+\.js$/.exec(request.url())?.[1] ?? ''))
    const { page } = await openConsole(browsing)
    await expect.poll(() => loaded).toContain('file-page')
    const linkTo = (name: string) => page.getByRole('link', { name, exact: true })
    await linkTo('Webhooks').hover()
    await expect.poll(() => loaded).toContain('webhooks-page')
    expect([...loaded]).not.toContain('trash-page')

    await browsing.setOffline(true)
    await linkTo('Trash').click()
    await page.getByRole('heading', { name: 'This page could not be loaded', level: 1 }).waitFor()
    await page.getByRole('button', { name: 'Retry' }).click()
    await page.getByText('The service did not respond').waitFor()
    await expectAccessible(page, 'a page that could not be loaded')
    await browsing.setOffline(false)
    await page.getByRole('button', { name: 'Retry' }).click()
    await page.getByRole('heading', { name: 'Trash', level: 1 }).waitFor()
  },
)

browserTest(
  'falls back to English if a language does not load, and offers a reload for a newer build',
  async ({ browsing }) => {
    await browsing.addInitScript("localStorage.setItem('tideport.language', 'de')")
    await browsing.route(/\/assets\/de-/, (route) => route.abort())
    const { page, url } = await openConsole(browsing)
    await browsing.route(`${url}/`, (route) => route.fulfill({ contentType: 'text/html', body: 'another build' }))
    await page.getByText('Settings').click()
    await page.getByLabel('Language').selectOption('Deutsch')
    await page.getByText('A newer version of the console is available').waitFor()
    await browsing.unroute(`${url}/`)
    await browsing.unroute(/\/assets\/de-/)
    await page.getByRole('button', { name: 'Reload' }).click()
    await page.getByRole('heading', { name: 'Tresore', level: 1 }).waitFor()
  },
)
