import { randomBytes } from 'node:crypto'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { waitFor } from '@tideport/testing/wait-for'
import type { BrowserContext } from 'playwright-core'
import { expect, onTestFinished } from 'vitest'
import { createVault } from '../support/account.ts'
import { createApiClient } from '../support/api-client.ts'
import { browserTest } from '../support/browser/browser-test.ts'
import { storeNaughtyNames } from '../support/browser/saved-names.ts'
import { expectAccessible } from '../support/console/expect-accessible.ts'
import { expectAccessibleInAllLooks } from '../support/console/looks.ts'
import { openConsole } from '../support/console/open-console.ts'
import { uniqueBytes, uploadFile } from '../support/uploads.ts'

/** The page of a new user's vault, and an API client for that user. */
async function openVault(browsing: BrowserContext) {
  const { page, url, who } = await openConsole(browsing)
  const client = createApiClient(new URL('..', `${url}/`).href.replace(/\/$/, ''), { 'x-dev-provider-id': who })
  const { id: vaultId } = await createVault(client, 'public')
  const show = async () => {
    await page.goto(`${url}/vaults/${vaultId}`)
    await page.getByRole('button', { name: 'New folder' }).waitFor()
  }
  await show()
  const row = (name: string) => page.getByRole('row').filter({ has: page.getByRole('button', { name, exact: true }) })
  const pathsNow = async () => {
    const { body } = await client.get<{ files: { path: string; status: string }[] }>(
      `/api/files?vaultId=${vaultId}&sortBy=path`,
    )
    return body.files.filter(({ status }) => status !== 'uploading').map(({ path }) => path)
  }
  return { page, client, vaultId, show, row, pathsNow }
}

async function localFolder(files: Record<string, Buffer>): Promise<string> {
  const dir = await mkdtemp(join(tmpdir(), 'tideport-picked-'))
  onTestFinished(() => rm(dir, { recursive: true }))
  for (const [path, bytes] of Object.entries(files)) {
    await mkdir(join(dir, path, '..'), { recursive: true })
    await writeFile(join(dir, path), bytes)
  }
  return dir
}

browserTest('uploads a folder with its paths, then moves, renames, trashes, and restores it', async ({ browsing }) => {
  const { page, row, pathsNow } = await openVault(browsing)
  const choose = async () => {
    await page.keyboard.press('x')
    await page.getByText('1 selected').waitFor()
  }
  const dir = await localFolder({
    'trip/a.txt': randomBytes(9),
    'trip/deep/b ü.txt': randomBytes(9),
    'trip/c.bin': randomBytes(5e6),
  })
  await page.locator('input[type=file]').nth(1).setInputFiles(join(dir, 'trip'))
  await page.getByText('3 uploaded').waitFor()
  expect(await pathsNow()).toEqual(['trip/a.txt', 'trip/c.bin', 'trip/deep/b ü.txt'])

  await row('trip').focus()
  await page.keyboard.press('F2')
  await page.keyboard.press('Control+a')
  await page.keyboard.type('holiday')
  await page.keyboard.press('Enter')
  await row('holiday').waitFor()
  await waitFor(async () => (await pathsNow()).every((path) => path.startsWith('holiday/')), {
    what: 'the renamed folder',
  })

  await row('holiday').focus()
  await page.keyboard.press('Enter')
  await row('a.txt').focus()
  await choose()
  await page.keyboard.press('m')
  await page.getByLabel('Destination folder').fill('2026/best')
  await page.keyboard.press('Enter')
  await page.getByText('1 item moved').waitFor()
  expect(await pathsNow()).toContain('2026/best/a.txt')
  await page.getByRole('button', { name: 'Undo' }).last().click()
  await waitFor(async () => (await pathsNow()).includes('holiday/a.txt'), { what: 'the move to be undone' })

  await row('c.bin').focus()
  await choose()
  await page.keyboard.press('#')
  await row('c.bin').waitFor({ state: 'detached' })
  await page.getByRole('link', { name: 'Trash' }).click()
  await page.getByRole('row').filter({ hasText: 'holiday/c.bin' }).focus()
  await choose()
  await page.keyboard.press('r')
  await page.getByText('The trash is empty').waitFor()
  expect(await pathsNow()).toContain('holiday/c.bin')
})

browserTest('asks about each upload to an existing path, or about all of them together', async ({ browsing }) => {
  const { page, client, vaultId, pathsNow } = await openVault(browsing)
  const names = Array.from({ length: 6 }, (_, index) => `${index}.txt`)
  const dir = await localFolder(Object.fromEntries(names.map((name) => [`trip/${name}`, randomBytes(9)])))
  await mkdir(join(dir, 'trip/deep'))
  await writeFile(join(dir, 'trip/deep/u\u0308.txt'), 'a name in NFD')
  const dialog = page.getByRole('dialog', { name: 'File already exists' })
  const pick = async (over: string) => {
    await page.locator('input[type=file]').nth(1).setInputFiles(join(dir, 'trip'))
    if (over !== '') await dismissAfter(over)
  }
  // Without this wait, the text of the dismissed uploads could match the assertion on the next ones.
  const dismissAfter = async (over: string) => {
    await page.getByText(over, { exact: true }).waitFor()
    await page.getByRole('button', { name: 'Dismiss' }).last().click()
    await page.getByText(over).waitFor({ state: 'detached' })
  }
  let lists = 0
  page.on('request', (request) => {
    const { pathname, searchParams } = new URL(request.url())
    if (pathname === '/api/files' && searchParams.get('prefix') === 'trip/') lists++
  })
  await pick('7 uploaded')
  const all = [...names, 'deep/\u00fc.txt'].map((name) => `trip/${name}`)
  expect((await pathsNow()).toSorted()).toEqual(all.toSorted())
  expect(lists).toBe(1)

  // Canceling the question uploads nothing.
  await pick('')
  await dialog.getByText('trip/').waitFor()
  expect(lists).toBe(2)
  await expectAccessibleInAllLooks(page, 'the question about a file')
  await page.keyboard.press('Escape')
  await dialog.waitFor({ state: 'detached' })
  expect(await pathsNow()).toHaveLength(7)

  // By keyboard only: keep both for one file, replace one, skip the rest.
  await pick('')
  await dialog.getByText('all 7 files').waitFor()
  await dialog.getByRole('button', { name: 'Keep both' }).press('Enter')
  await dialog.getByText('all 6 files').waitFor()
  await dialog.getByRole('button', { name: 'Replace' }).press('Enter')
  await dialog.getByText('all 5 files').waitFor()
  await dialog.getByRole('checkbox').press('Space')
  await dialog.getByRole('button', { name: 'Skip' }).press('Enter')
  await page.getByText('2 uploaded', { exact: true }).waitFor()
  expect(await pathsNow()).toHaveLength(8)
  const trashed = async () =>
    (await client.get<{ files: object[] }>(`/api/files?vaultId=${vaultId}&trashed=true`)).body.files.length
  expect(await trashed()).toBe(1)
  await dismissAfter('2 uploaded')

  // Two files with the same path in one upload, then a path whose lookup fails.
  const upload = async (...files: [name: string, text: string][]) =>
    await page
      .locator('input[type=file]')
      .first()
      .setInputFiles(files.map(([name, text]) => ({ name, mimeType: 'text/plain', buffer: Buffer.from(text) })))
  await upload(['\u00e4.txt', 'one'], ['a\u0308.txt', 'longer'])
  await dialog.getByText('\u00e4.txt').waitFor()
  await dialog.getByRole('button', { name: 'Skip' }).click()
  await dismissAfter('1 uploaded')
  expect(await pathsNow()).toHaveLength(9)
  const isLookup = ({ searchParams }: URL) => searchParams.get('prefix') === '\u00e4.txt'
  await page.route(isLookup, (route) => route.fulfill({ status: 403, json: { error: 'No', code: 'forbidden' } }))
  await upload(['\u00e4.txt', 'much longer'])
  await dialog.getByText('\u00e4.txt').waitFor()
  await dialog.getByRole('button', { name: 'Replace' }).click()
  await page.getByText('1 uploaded', { exact: true }).waitFor()
  await page.unroute(isLookup)
  expect([await trashed(), (await pathsNow()).length]).toEqual([2, 9])

  // Single files, in German.
  await page.evaluate("localStorage.setItem('tideport.language', 'de')")
  await page.goto(`${page.url().split('?')[0]}?in=trip%2F`)
  await page.getByRole('button', { name: 'Dateien hochladen' }).waitFor()
  await page
    .locator('input[type=file]')
    .first()
    .setInputFiles([join(dir, 'trip/3.txt'), join(dir, 'trip/4.txt')])
  await page.getByText('ist in diesem Tresor bereits vorhanden').waitFor()
  await page.getByText('Auf alle 2 bereits vorhandenen Dateien anwenden').click()
  await page.getByRole('button', { name: 'Ersetzen' }).click()
  await page.getByText('2 hochgeladen').waitFor()
  expect([await trashed(), (await pathsNow()).length]).toEqual([4, 9])
})

browserTest('keeps search, filters, and order in the URL across a reload and back navigation', async ({ browsing }) => {
  const { page, client, vaultId, show, row } = await openVault(browsing)
  const labels = [{ tags: ['red'] }, { tags: ['red'], metadata: { camera: 'X=1' } }, {}]
  for (const [index, more] of labels.entries())
    await uploadFile(client, { vaultId, name: `photo ${index}`, bytes: uniqueBytes(8), more })
  await show()
  const names = async () =>
    (await page.getByRole('row').getByRole('button').allTextContents()).filter((name) => name.startsWith('photo'))
  const untilNamed = (wanted: string[]) =>
    waitFor(async () => JSON.stringify(await names()) === JSON.stringify(wanted), { what: wanted.join() })
  await page.getByLabel('Sort order').selectOption('Z to A')
  await untilNamed(['photo 2', 'photo 1', 'photo 0'])
  const filter = page.getByLabel('Filter by tag or metadata')
  await filter.fill('red')
  await filter.press('Enter')
  await untilNamed(['photo 1', 'photo 0'])
  await filter.fill('camera=X=1')
  await filter.press('Enter')
  await untilNamed(['photo 1'])
  await page.reload()
  await untilNamed(['photo 1'])
  await expectAccessible(page, 'a filtered list')
  await page.getByRole('button', { name: 'Remove filter \u2068red\u2069' }).click()
  await page.goBack()
  await page.goBack()
  await untilNamed(['photo 1', 'photo 0'])
  // Back closes the dialog of the page.
  await page.keyboard.press('n')
  await page.getByRole('dialog').waitFor()
  await page.goBack()
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  await page.goForward()
  await untilNamed(['photo 1', 'photo 0'])
  // The search runs while typing, and one step back undoes the complete search.
  await page.keyboard.press('/')
  await page.keyboard.type('photo 0', { delay: 20 })
  await untilNamed(['photo 0'])
  expect(new URL(page.url()).searchParams.get('q')).toBe('photo 0')
  await page.goBack()
  await untilNamed(['photo 1', 'photo 0'])
  const search = page.getByLabel('Search this vault by name')
  await waitFor(async () => (await search.inputValue()) === '', { what: 'an empty search' })
  // Back returns to the previous place in the list.
  await row('photo 0').press('Enter')
  await page.getByRole('heading', { name: 'photo 0', level: 1 }).waitFor()
  await page.goBack()
  await expect.poll(() => page.evaluate('document.activeElement.textContent')).toContain('photo 0')
})

browserTest('the toolbar of a list fits on one line on a small laptop, in each language', async ({ browsing }) => {
  const { page } = await openVault(browsing)
  await page.setViewportSize({ width: 1280, height: 800 })
  const nameOfMain = { en: 'Upload files', de: 'Dateien hochladen' }
  for (const [language, name] of Object.entries(nameOfMain)) {
    await page.evaluate(`localStorage.setItem('tideport.language', ${JSON.stringify(language)})`)
    await page.reload()
    await page.getByRole('button', { name }).waitFor()
    const boxes = await page.evaluate<{ top: number; bottom: number }[]>(
      "[...document.querySelectorAll('.file-tools > :not([hidden])')].map((tool) => tool.getBoundingClientRect().toJSON())",
    )
    expect(boxes.length).toBeGreaterThan(5)
    expect(Math.max(...boxes.map(({ top }) => top)), language).toBeLessThan(
      Math.min(...boxes.map(({ bottom }) => bottom)),
    )
  }
})

browserTest('shows hostile names as text everywhere', async ({ browsing }) => {
  const { page, client, row } = await openVault(browsing)
  const files = await storeNaughtyNames(client)
  const { url } = { url: page.url().replace(/\/vaults\/.*/, '') }
  await page.goto(`${url}/vaults/${files[0]?.vaultId}`)
  await page.getByRole('row').nth(3).waitFor()
  const first = files.map(({ name }) => name).toSorted()[0] as string
  expect(await row(first).count()).toBeLessThanOrEqual(1)
  await page.keyboard.press('a')
  await page.getByText('selected').waitFor()
  await expectAccessible(page, 'hostile names, chosen')
  await page.getByRole('button', { name: 'Delete permanently' }).click()
  await page.getByRole('dialog').waitFor()
  await expectAccessible(page, 'the question before deleting')
  await page.emulateMedia({ colorScheme: 'dark' })
  await page.setViewportSize({ width: 360, height: 740 })
  await page.keyboard.press('Escape')
  await expectAccessible(page, 'hostile names at 360 px')
  expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBeLessThanOrEqual(0)
})
