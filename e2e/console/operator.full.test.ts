import { startReceiver } from '@tideport/testing/receiver'
import { waitFor } from '@tideport/testing/wait-for'
import type { BrowserContext, Page } from 'playwright-core'
import { expect } from 'vitest'
import { createVault } from '../support/account.ts'
import { browserTest } from '../support/browser/browser-test.ts'
import { clientOf } from '../support/console/client-of.ts'
import { goTo } from '../support/console/go-to.ts'
import { expectAccessibleInAllLooks } from '../support/console/looks.ts'
import { openConsole } from '../support/console/open-console.ts'
import { giveUpDelivery } from '../support/database.ts'
import { fileWithoutBytes } from '../support/file-without-bytes.ts'
import { holdProcesses } from '../support/hold-processes.ts'
import { freshAccount, sharedOperator, sharedStack } from '../support/shared-stack.ts'
import { untilStatus } from '../support/uploads.ts'
import { createWebhook } from '../support/webhook-events.ts'

const openAsOperator = (browsing: BrowserContext, path?: string) =>
  openConsole(browsing, path, undefined, sharedOperator)

async function openTab(page: Page, name: string): Promise<void> {
  const tab = page.getByRole('navigation', { name: 'Operators' }).getByRole('link', { name, exact: true })
  await tab.click()
  // waitForFunction does not work here: when it polls, it needs an eval that the page's policy forbids.
  await expect.poll(() => page.evaluate('document.activeElement.localName')).toBe('main')
}

browserTest('hides operator pages from other users and sends no operator request for them', async ({ browsing }) => {
  const asked: string[] = []
  browsing.on('request', (request) => asked.push(new URL(request.url()).pathname))
  const { page } = await openConsole(browsing, '/operator')
  await page.getByRole('heading', { name: 'Page not found' }).waitFor()
  expect(await page.getByRole('link', { name: 'Operators' }).count()).toBe(0)
  await page.keyboard.press('Control+k')
  await page.keyboard.type('Operators')
  await page.getByText('No results').waitFor()
  await page.reload()
  await page.getByRole('heading', { name: 'Page not found' }).waitFor()
  expect(asked.filter((path) => path === '/api/account').length).toBe(2)
  expect(asked.filter((path) => path.startsWith('/api/operator'))).toEqual([])
})

browserTest('shows an operator the state of the installation and reports a failed refresh', async ({ browsing }) => {
  const notesUrl = 'https://docs.example.org/release-notes/'
  const release = { running: '0.1.0', newer: { version: '0.2.0', notesUrl } }
  await browsing.route('**/api/operator/release', (route) => route.fulfill({ json: release }))
  const { page } = await openAsOperator(browsing)
  // The first request has finished before the route below is registered.
  await page.getByRole('link', { name: 'Operators', exact: true }).waitFor()
  let isSlow = true
  await page.route('**/api/operator/networks', async (route) => {
    const response = await route.fetch()
    const body = await response.json()
    const networks = body.networks.map((network: object) => ({ ...network, works: null, freeBytes: null }))
    await route.fulfill({ response, json: isSlow ? { ...body, networks } : body })
  })
  await goTo(page, 'Operators')
  const files = page.getByRole('table', { name: 'Files by state' })
  await files.getByRole('row', { name: /^Archived \d/ }).waitFor()
  await page
    .getByRole('table', { name: 'Due work' })
    .getByRole('row', { name: /^evict/ })
    .waitFor()
  const network = page.getByRole('list', { name: 'Storage networks' }).getByRole('listitem').first()
  await network.getByText('No response yet').waitFor()
  isSlow = false
  await network.getByText('Available', { exact: true }).waitFor()
  await page.unroute('**/api/operator/networks')
  await network.getByText('Active').waitFor()
  await network.getByRole('meter', { name: /^Space used on/ }).waitFor()
  await page.getByText('Tideport 0.2.0 is available. This installation runs 0.1.0.').waitFor()
  expect(await page.getByRole('link', { name: 'Release notes' }).getAttribute('href')).toBe(notesUrl)
  await expectAccessibleInAllLooks(page, 'the overview')

  await page.clock.install()
  await page.route('**/api/operator/overview', (route) => route.abort())
  await page.reload()
  await page.getByRole('button', { name: 'Retry' }).waitFor()
  await page.unroute('**/api/operator/overview')
  await page.getByRole('button', { name: 'Retry' }).click()
  await files.waitFor()
  await page.route('**/api/operator/networks', (route) => route.abort())
  await page.clock.runFor(60_000)
  await page.getByText('These figures could not be refreshed').waitFor()
  await files.waitFor()
  await page.unroute('**/api/operator/networks')
  await page.clock.runFor(60_000)
  await page.getByText('These figures could not be refreshed').waitFor({ state: 'detached' })
})

browserTest('retries dead letters after a dry run and shows why some remain', async ({ browsing }) => {
  const owner = freshAccount()
  using file = await fileWithoutBytes(owner)
  const { id } = file

  const { page } = await openAsOperator(browsing, '/operator/dead-letters')
  await page.getByLabel('Reason').fill('hot_copy_missing')
  await page.getByRole('button', { name: 'Apply', exact: true }).click()
  const box = page.getByLabel(`Select ${id}`)
  await box.press('Space')
  await expectAccessibleInAllLooks(page, 'dead letters')
  const dialog = page.getByRole('dialog')
  const tryAgain = async () => {
    await page.locator('main').focus()
    await page.keyboard.press('r')
    await dialog.getByText('1 item would be retried.').waitFor()
    await dialog.getByRole('button', { name: 'Retry' }).press('Enter')
  }
  await tryAgain()
  await dialog.getByText('Done: 0 retried, 1 unchanged.').waitFor()
  await dialog.getByText('Outcome').click()
  await dialog.getByText(`${id} No content until it is restored`).waitFor()
  await expectAccessibleInAllLooks(page, 'the outcome')
  await page.keyboard.press('Escape')
  await dialog.waitFor({ state: 'detached' })

  await file.putBack()
  await box.press('Space')
  await tryAgain()
  await dialog.getByText('Done: 1 retried.').waitFor()
  await page.keyboard.press('Escape')
  await box.waitFor({ state: 'detached' })
  await untilStatus(owner, id, 'cold')
})

browserTest('resends all dead-lettered deliveries that match the filter', async ({ browsing }) => {
  await using receiver = await startReceiver({ respond: { status: 500 } })
  const owner = freshAccount()
  const { id: webhookId } = await createWebhook(owner, receiver, ['vault.created'])
  await createVault(owner, 'public')
  const first = await waitFor(
    async () => {
      const path = `/api/webhooks/${webhookId}/deliveries`
      const { body } = await owner.get<{ deliveries: { id: string; statusCode: number | null }[] }>(path)
      return body.deliveries.find(({ statusCode }) => statusCode === 500)
    },
    { what: 'an attempt with a response' },
  )
  // The retry schedule takes days, so the test ends the schedule itself.
  await waitFor(() => giveUpDelivery(sharedStack(), first.id), { what: 'no attempt to be in progress' })
  const { page } = await openAsOperator(browsing, '/operator/dead-letters')
  await page.getByLabel('Type').selectOption('Webhook deliveries')
  await page.getByLabel('For at least').selectOption('1 day')
  await page.getByRole('button', { name: 'Apply', exact: true }).click()
  const row = page.getByRole('listitem').filter({ has: page.getByLabel(`Select ${first.id}`) })
  await row.getByText('HTTP status 500').waitFor()
  await row.getByText(webhookId).waitFor()
  expect(await page.content()).not.toContain(receiver.url)
  await expectAccessibleInAllLooks(page, 'dead-lettered deliveries')

  receiver.respondWith({ status: 204 })
  await page.getByRole('button', { name: 'Retry all matches' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByText('1 item would be retried.').waitFor()
  await dialog.getByRole('button', { name: 'Retry' }).click()
  await dialog.getByText('Done: 1 retried.').waitFor()
  await page.keyboard.press('Escape')
  await row.waitFor({ state: 'detached' })
  const path = `/api/webhooks/${webhookId}/deliveries/${first.id}`
  await waitFor(async () => (await owner.get<{ success: boolean }>(path)).body.success, { what: 'the delivery' })
  await openTab(page, 'Operator log')
  await page.getByRole('heading', { name: 'webhooks.redrive' }).first().waitFor()
})

browserTest(
  'starts a dry run, refuses a concurrent one, stops it, and shows a run until it finishes',
  async ({ browsing }) => {
    const { page } = await openAsOperator(browsing)
    await goTo(page, 'Operators')
    await openTab(page, 'Runs')
    const dialog = page.getByRole('dialog')
    const start = async () => {
      await page.keyboard.press('n')
      await dialog.getByLabel('Verify').check()
      await dialog.getByLabel('Random sample (files)').fill('3')
    }
    const first = page.getByRole('list', { name: 'Runs' }).getByRole('listitem').first()
    {
      await using _ = await holdProcesses(sharedStack(), 'eviction')
      await start()
      expect(await dialog.getByLabel('Dry run').isChecked()).toBe(true)
      await expectAccessibleInAllLooks(page, 'a new run')
      await dialog.getByRole('button', { name: 'Start dry run' }).click()
      await first.getByText('Queued').waitFor()
      await start()
      await dialog.getByRole('button', { name: 'Start dry run' }).click()
      await dialog.getByRole('alert').getByText('A verify run is in progress').waitFor()
      await page.keyboard.press('Escape')
      await first.getByRole('button', { name: 'Stop: Verify' }).click()
      await dialog.getByRole('button', { name: 'Stop', exact: true }).click()
      await first.getByText('Stopped').waitFor()
      await dialog.waitFor({ state: 'detached' })
    }
    await start()
    await dialog.getByLabel('Dry run').uncheck()
    await dialog.getByRole('button', { name: 'Start', exact: true }).click()
    await first.getByText('Reads copies').waitFor()
    await first.getByText('Done', { exact: true }).waitFor()
    await expectAccessibleInAllLooks(page, 'runs')

    await openTab(page, 'Operator log')
    const log = page.getByRole('list', { name: 'Operator log' }).getByRole('listitem')
    await log.filter({ hasText: 'verify.cancelled' }).first().getByText(sharedOperator).waitFor()
    await log.filter({ hasText: 'verify.started' }).first().getByText('Details').click()
    await expectAccessibleInAllLooks(page, 'the operator log')
  },
)

browserTest('shows the operator log of one service while the other does not respond', async ({ browsing }) => {
  const { page } = await openAsOperator(browsing)
  const who = { subject: sharedOperator, accountId: null, clientAddress: null, requestId: null }
  const event = { id: crypto.randomUUID(), kind: 'verify.started', at: new Date().toISOString(), ...who, details: {} }
  await page.route('**/api/operator/events**', (route) =>
    route.fulfill({ json: { events: [event], nextCursor: null } }),
  )
  await page.route('**/api/operator/webhooks/events**', (route) => route.abort())
  await goTo(page, 'Operators')
  await openTab(page, 'Operator log')
  await page
    .getByRole('status')
    .getByText('Entries about webhooks could not be loaded: The service did not respond')
    .waitFor()
  await page.getByRole('heading', { name: 'verify.started' }).waitFor()
  await expectAccessibleInAllLooks(page, 'a log with a missing part')

  await page.route('**/api/operator/events**', (route) => route.abort())
  await page.getByRole('button', { name: 'Retry' }).click()
  await page.getByRole('heading', { name: 'Something went wrong' }).waitFor()
  await page.unroute('**/api/operator/webhooks/events**')
  await page.unroute('**/api/operator/events**')
  await page.getByRole('button', { name: 'Retry' }).click()
  await page.getByRole('heading', { name: 'Something went wrong' }).waitFor({ state: 'detached' })
  expect(await page.getByText('could not be loaded').count()).toBe(0)
})

browserTest('shows no operator data after the operator loses the role', async ({ browsing }) => {
  const { page } = await openAsOperator(browsing, '/operator/runs')
  await page.getByRole('button', { name: 'Start run' }).waitFor()
  const missing = await clientOf('nobody').get('/api/operators')
  await page.route('**/api/operator/**', (route) => route.fulfill({ status: 404, json: missing.body }))
  await openTab(page, 'Overview')
  await page.getByRole('heading', { name: 'Page not found' }).waitFor()
  await page.getByRole('link', { name: 'Operators' }).waitFor({ state: 'detached' })
})
