import { waitFor } from '@tideport/testing/wait-for'
import type { BrowserContext, Page } from 'playwright-core'
import { expect } from 'vitest'
import { createVault } from '../support/account.ts'
import { browserTest } from '../support/browser/browser-test.ts'
import { clientOf } from '../support/console/client-of.ts'
import { expectAccessible } from '../support/console/expect-accessible.ts'
import { openConsole } from '../support/console/open-console.ts'
import { seedFiles } from '../support/database.ts'
import { sharedStack } from '../support/shared-stack.ts'

const FILES = 10_000
const LAST = `file ${String(FILES).padStart(6, '0')}`

const rowOf = (page: Page, name: string) =>
  page.getByRole('row').filter({ has: page.getByRole('button', { name, exact: true }) })

/** The page of a vault with `count` files in a folder, with a counter of file list requests. */
async function openLongFolder(browsing: BrowserContext, count: number) {
  const { page, url, who } = await openConsole(browsing)
  const client = clientOf(who)
  const { id: vaultId } = await createVault(client, 'public')
  await seedFiles(sharedStack(), { vaultId, folder: 'long/', count })
  let lists = 0
  page.on('request', (request) => {
    if (new URL(request.url()).pathname === '/api/files') lists++
  })
  const show = async () => {
    await page.goto(`${url}/vaults/${vaultId}?in=long%2F`)
    await rowOf(page, 'file 000001').waitFor()
  }
  const filesIn = async () => (await client.get<{ fileCount: number }>(`/api/vaults/${vaultId}`)).body.fileCount
  return { page, url, client, vaultId, show, filesIn, listsAsked: () => lists }
}

browserTest('reaches both ends of a very large folder quickly and renders few rows', async ({ browsing }) => {
  const { page, show, listsAsked } = await openLongFolder(browsing, FILES)
  await show()
  await rowOf(page, 'file 000001').focus()
  await waitFor(
    async () => {
      await page.keyboard.press('End')
      return await rowOf(page, LAST).isVisible()
    },
    { what: 'the last file', everyMs: 50 },
  )
  await expect.poll(() => page.evaluate('document.activeElement.textContent')).toContain(LAST)
  expect(listsAsked()).toBeLessThanOrEqual(4)
  expect(await page.getByRole('row').count()).toBeLessThan(60)

  // Scrolling back from the end, through pages that load above the visible rows, skips no file.
  let last = FILES
  await waitFor(
    async () => {
      await page.keyboard.press('PageUp')
      const at = Number(/file (\d{6})/.exec(await focusedText(page))?.[1])
      // The previous key press may not have moved the focus yet.
      expect([last - at >= 0, last - at <= 20]).toEqual([true, true])
      last = at
      return at <= FILES - 250
    },
    { what: 'the third page from the end', everyMs: 20 },
  )
  await expectAccessible(page, 'a list with a gap')
  await page.keyboard.press('Home')
  await waitFor(async () => (await focusedText(page)).includes('file 000001'), { what: 'the first file' })
  await page.locator('.grid').evaluate((grid: { scrollTop: number; scrollHeight: number }) => {
    grid.scrollTop = grid.scrollHeight
  })
  await rowOf(page, LAST).waitFor()
  expect(listsAsked()).toBeLessThanOrEqual(10)
})

const focusedText = async (page: Page): Promise<string> =>
  String(await page.evaluate('document.activeElement.textContent'))

browserTest('trashes and restores a complete folder by jobs and leaves older trash alone', async ({ browsing }) => {
  const { page, client, vaultId, show, filesIn } = await openLongFolder(browsing, 1_500)
  await show()
  await rowOf(page, 'file 000001').focus()
  await page.keyboard.press('x')
  await page.keyboard.press('#')
  await waitFor(async () => (await filesIn()) === 1_499, { what: 'one in the trash' })
  await rowOf(page, 'file 000001').waitFor({ state: 'detached' })
  await rowOf(page, 'file 000002').focus()
  await page.keyboard.press('a')
  await page.getByText('All in this folder', { exact: true }).waitFor()
  await page.getByRole('button', { name: 'Move to trash' }).click()
  await waitFor(async () => (await filesIn()) === 0, { what: 'all in the trash' })
  await page.getByText('All items moved to trash').waitFor()
  await page.getByRole('button', { name: 'Undo' }).last().click()
  await waitFor(async () => (await filesIn()) === 1_499, { what: 'all but one' })
  const { body } = await client.get<{ jobs: { kind: string; done: number }[] }>('/api/jobs')
  expect(body.jobs.map(({ kind, done }) => [kind, done])).toEqual([
    ['restore', 1_499],
    ['trash', 1_499],
  ])
  expect((await client.get<{ files: object[] }>(`/api/files?vaultId=${vaultId}&trashed=true`)).body.files).toHaveLength(
    1,
  )
})

browserTest('moves a complete folder by a job and moves it back', async ({ browsing }) => {
  const { page, client, vaultId, show } = await openLongFolder(browsing, 450)
  const isEmpty = async (prefix: string) =>
    (await client.get<{ files: object[] }>(`/api/files?vaultId=${vaultId}&prefix=${prefix}`)).body.files.length === 0
  await show()
  await rowOf(page, 'file 000001').focus()
  await page.keyboard.press('a')
  await page.getByText('All in this folder', { exact: true }).waitFor()
  await page.keyboard.press('m')
  const to = page.getByRole('dialog').getByRole('textbox')
  await to.fill('a//b')
  await page.keyboard.press('Enter')
  await page.getByRole('dialog').getByText('Must be parts between single slashes').waitFor()
  await to.fill('elsewhere')
  await page.keyboard.press('Enter')
  await page.getByText('This folder is empty').waitFor()
  expect([await isEmpty('long/'), await isEmpty('elsewhere/')]).toEqual([true, false])
  await page.getByRole('button', { name: 'Undo' }).click()
  await rowOf(page, 'file 000001').waitFor()
  await waitFor(() => isEmpty('elsewhere/'), { what: 'all of it back' })
})

browserTest('stops at a list whose cursors repeat and reports the fault', async ({ browsing }) => {
  const { page, url, vaultId, show, listsAsked } = await openLongFolder(browsing, 450)
  const cursors: string[] = []
  await page.route('**/api/files?*', async (route) => {
    const response = await route.fetch()
    const body = await response.json()
    // Every later cursor leads back to the first one.
    if (body.nextCursor !== null) cursors.push(body.nextCursor)
    const isLoop = new URL(route.request().url()).searchParams.has('cursor')
    await route.fulfill({ response, json: { ...body, nextCursor: isLoop ? cursors[0] : body.nextCursor } })
  })
  await show()
  await rowOf(page, 'file 000001').focus()
  const toTheEnd = async () => {
    await page.keyboard.press('PageDown')
    return await page.getByText('does not follow the API').isVisible()
  }
  await waitFor(toTheEnd, { what: 'the end of the list', everyMs: 50 })
  await expectAccessible(page, 'a list whose cursors repeat')
  const asked = listsAsked()
  expect(asked).toBeLessThan(12)
  // The console does not request the list again until the user retries.
  await page.goto(`${url}/vaults/${vaultId}`)
  await page.getByRole('button', { name: 'long', exact: true }).waitFor()
  expect(listsAsked()).toBeLessThanOrEqual(asked + 2)
})
