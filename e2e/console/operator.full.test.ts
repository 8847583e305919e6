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
  // Not by waitForFunction: where it has to look twice, it needs what the policy of the page forbids.
  await expect.poll(() => page.evaluate('document.activeElement.localName')).toBe('main')
}

browserTest('shows nothing of operators to anybody else, and sends no request of theirs', async ({ browsing }) => {
  const asked: string[] = []
  browsing.on('request', (request) => asked.push(new URL(request.url()).pathname))
  const { page } = await openConsole(browsing, '/operator')
  await page.getByRole('heading', { name: 'There is no such page' }).waitFor()
  expect(await page.getByRole('link', { name: 'Operators' }).count()).toBe(0)
  await page.keyboard.press('Control+k')
  await page.keyboard.type('Operators')
  await page.getByText('Nothing fits').waitFor()
  await page.reload()
  await page.getByRole('heading', { name: 'There is no such page' }).waitFor()
  expect(asked.filter((path) => path === '/api/account').length).toBe(2)
  expect(asked.filter((path) => path.startsWith('/api/operator'))).toEqual([])
})

browserTest(
  'an operator sees how the installation is, and is told when that cannot be read anew',
  async ({ browsing }) => {
    const { page } = await openAsOperator(browsing)
    // Asked and answered before requests are listened to.
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
    await files.getByRole('row', { name: /^Cold \d/ }).waitFor()
    await page
      .getByRole('table', { name: 'Work that is due' })
      .getByRole('row', { name: /^evict/ })
      .waitFor()
    const network = page.getByRole('list', { name: 'Storage networks' }).getByRole('listitem').first()
    await network.getByText('Has not answered yet').waitFor()
    isSlow = false
    await network.getByText('Works', { exact: true }).waitFor()
    await page.unroute('**/api/operator/networks')
    await network.getByText('Take work').waitFor()
    await network.getByRole('meter', { name: /^Room taken on/ }).waitFor()
    await expectAccessibleInAllLooks(page, 'the overview')

    await page.clock.install()
    await page.route('**/api/operator/overview', (route) => route.abort())
    await page.reload()
    await page.getByRole('button', { name: 'Try again' }).waitFor()
    await page.unroute('**/api/operator/overview')
    await page.getByRole('button', { name: 'Try again' }).click()
    await files.waitFor()
    await page.route('**/api/operator/networks', (route) => route.abort())
    await page.clock.runFor(60_000)
    await page.getByText('These figures could not be refreshed').waitFor()
    await files.waitFor()
    await page.unroute('**/api/operator/networks')
    await page.clock.runFor(60_000)
    await page.getByText('These figures could not be refreshed').waitFor({ state: 'detached' })
  },
)

browserTest('what was given up is tried again after a dry run, and says what stays and why', async ({ browsing }) => {
  const owner = freshAccount()
  using file = await fileWithoutBytes(owner)
  const { id } = file

  const { page } = await openAsOperator(browsing, '/operator/dead-letters')
  await page.getByLabel('Reason').fill('hot_copy_missing')
  await page.getByRole('button', { name: 'Show', exact: true }).click()
  const box = page.getByLabel(`Select ${id}`)
  await box.press('Space')
  await expectAccessibleInAllLooks(page, 'what was given up')
  const dialog = page.getByRole('dialog')
  const tryAgain = async () => {
    await page.locator('main').focus()
    await page.keyboard.press('r')
    await dialog.getByText('1 would be tried again.').waitFor()
    await dialog.getByRole('button', { name: 'Try again' }).press('Enter')
  }
  await tryAgain()
  await dialog.getByText('Done: 0 retried, 1 unchanged.').waitFor()
  await dialog.getByText('Outcome').click()
  await dialog.getByText(`${id} Has no bytes until they are restored`).waitFor()
  await expectAccessibleInAllLooks(page, 'what came of it')
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

browserTest('deliveries that were given up are sent again, all that fit', async ({ browsing }) => {
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
    { what: 'an attempt that was answered' },
  )
  // The schedule takes days.
  await waitFor(() => giveUpDelivery(sharedStack(), first.id), { what: 'no attempt to be under way' })
  const { page } = await openAsOperator(browsing, '/operator/dead-letters')
  await page.getByLabel('What was given up').selectOption('Deliveries to webhooks')
  await page.getByLabel('For at least').selectOption('1 day')
  await page.getByRole('button', { name: 'Show', exact: true }).click()
  const row = page.getByRole('listitem').filter({ has: page.getByLabel(`Select ${first.id}`) })
  await row.getByText('Answered 500').waitFor()
  await row.getByText(webhookId).waitFor()
  expect(await page.content()).not.toContain(receiver.url)
  await expectAccessibleInAllLooks(page, 'deliveries that were given up')

  receiver.respondWith({ status: 204 })
  await page.getByRole('button', { name: 'Try all that fit again' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByText('1 would be tried again.').waitFor()
  await dialog.getByRole('button', { name: 'Try again' }).click()
  await dialog.getByText('Done: 1 retried.').waitFor()
  await page.keyboard.press('Escape')
  await row.waitFor({ state: 'detached' })
  const path = `/api/webhooks/${webhookId}/deliveries/${first.id}`
  await waitFor(async () => (await owner.get<{ success: boolean }>(path)).body.success, { what: 'the delivery' })
  await openTab(page, 'What operators did')
  await page.getByRole('heading', { name: 'webhooks.redrive' }).first().waitFor()
})

browserTest(
  'a run is started as a dry run, refused twice at a time, stopped, and watched to its end',
  async ({ browsing }) => {
    const { page } = await openAsOperator(browsing)
    await goTo(page, 'Operators')
    await openTab(page, 'Runs')
    const dialog = page.getByRole('dialog')
    const start = async () => {
      await page.keyboard.press('n')
      await dialog.getByLabel('Verify').check()
      await dialog.getByLabel('How many files at random').fill('3')
    }
    const first = page.getByRole('list', { name: 'Runs' }).getByRole('listitem').first()
    {
      await using _ = await holdProcesses(sharedStack(), 'eviction')
      await start()
      expect(await dialog.getByLabel('Dry run').isChecked()).toBe(true)
      await expectAccessibleInAllLooks(page, 'a new run')
      await dialog.getByRole('button', { name: 'Start the dry run' }).click()
      await first.getByText('Waiting').waitFor()
      await start()
      await dialog.getByRole('button', { name: 'Start the dry run' }).click()
      await dialog.getByRole('alert').getByText('A verify is under way').waitFor()
      await page.keyboard.press('Escape')
      await first.getByRole('button', { name: 'Stop: Verify' }).click()
      await dialog.getByRole('button', { name: 'Stop', exact: true }).click()
      await first.getByText('Cancelled').waitFor()
      await dialog.waitFor({ state: 'detached' })
    }
    await start()
    await dialog.getByLabel('Dry run').uncheck()
    await dialog.getByRole('button', { name: 'Start', exact: true }).click()
    await first.getByText('Reads copies').waitFor()
    await first.getByText('Done', { exact: true }).waitFor()
    await expectAccessibleInAllLooks(page, 'runs')

    await openTab(page, 'What operators did')
    const log = page.getByRole('list', { name: 'What operators did' }).getByRole('listitem')
    await log.filter({ hasText: 'verify.cancelled' }).first().getByText(sharedOperator).waitFor()
    await log.filter({ hasText: 'verify.started' }).first().getByText('Details').click()
    await expectAccessibleInAllLooks(page, 'what operators did')
  },
)

browserTest('what one service says of operators is shown while the other gives no answer', async ({ browsing }) => {
  const { page } = await openAsOperator(browsing)
  const who = { subject: sharedOperator, accountId: null, clientAddress: null, requestId: null }
  const event = { id: crypto.randomUUID(), kind: 'verify.started', at: new Date().toISOString(), ...who, details: {} }
  await page.route('**/api/operator/events**', (route) =>
    route.fulfill({ json: { events: [event], nextCursor: null } }),
  )
  await page.route('**/api/operator/webhooks/events**', (route) => route.abort())
  await goTo(page, 'Operators')
  await openTab(page, 'What operators did')
  await page.getByRole('status').getByText('What was asked about webhooks is missing here: No answer came').waitFor()
  await page.getByRole('heading', { name: 'verify.started' }).waitFor()
  await expectAccessibleInAllLooks(page, 'a log of which a part is missing')

  await page.route('**/api/operator/events**', (route) => route.abort())
  await page.getByRole('button', { name: 'Try again' }).click()
  await page.getByRole('heading', { name: 'Something went wrong' }).waitFor()
  await page.unroute('**/api/operator/webhooks/events**')
  await page.unroute('**/api/operator/events**')
  await page.getByRole('button', { name: 'Try again' }).click()
  await page.getByRole('heading', { name: 'Something went wrong' }).waitFor({ state: 'detached' })
  expect(await page.getByText('is missing here').count()).toBe(0)
})

browserTest('an operator who is none any more sees nothing further', async ({ browsing }) => {
  const { page } = await openAsOperator(browsing, '/operator/runs')
  await page.getByRole('button', { name: 'Start a run' }).waitFor()
  const missing = await clientOf('nobody').get('/api/operators')
  await page.route('**/api/operator/**', (route) => route.fulfill({ status: 404, json: missing.body }))
  await openTab(page, 'Overview')
  await page.getByRole('heading', { name: 'There is no such page' }).waitFor()
  await page.getByRole('link', { name: 'Operators' }).waitFor({ state: 'detached' })
})
