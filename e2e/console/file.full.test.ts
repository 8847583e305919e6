import { createVaultKey, uploadPrivate } from '@tideport/sdk/crypto'
import { expect } from 'vitest'
import { browserTest } from '../support/browser/browser-test.ts'
import { clientOf } from '../support/console/client-of.ts'
import { copy } from '../support/console/copy.ts'
import { expectAccessibleInAllLooks } from '../support/console/looks.ts'
import { openConsole } from '../support/console/open-console.ts'
import { privateVault, sdkOf } from '../support/console/private-vault.ts'
import { storeFile } from '../support/console/store-file.ts'
import { sharedStack } from '../support/shared-stack.ts'
import { readFile } from '../support/uploads.ts'

browserTest('shows a file through all states, with its copies and timeline', async ({ browsing }) => {
  const { page, who, url } = await openConsole(browsing)
  const file = await storeFile(clientOf(who), {
    path: '2026/harbour/tide.txt',
    bytes: Buffer.from('High water at noon'),
  })
  await page.goto(`${url}/files/${file.id}`)
  await page.getByRole('heading', { name: 'tide.txt', level: 1 }).waitFor()
  const pages = page.getByRole('navigation', { name: 'Pages' })
  expect(await pages.locator('[aria-current=page]').textContent()).toBe('Vaults')
  await page.getByText('2026/harbour/', { exact: true }).waitFor()
  // The page updates without a reload.
  const copies = page.getByRole('region', { name: 'Copies' })
  await copies.getByText('Verified', { exact: true }).waitFor()
  await page.getByRole('status').filter({ hasText: 'Archived.' }).waitFor()
  const timeline = page.getByRole('region', { name: 'Timeline' })
  for (const happened of ['Upload confirmed', 'Copy verified', 'Archived']) {
    await timeline.getByText(happened).waitFor()
  }
  await timeline.getByText(`Development sign-in ${who}`).waitFor()
  const { checksumSha256, storageNetworkBlobId } = await readFile(clientOf(who), file.id)
  const ids = page.getByRole('region', { name: 'IDs and checksums' })
  for (const id of [file.id, checksumSha256, storageNetworkBlobId]) await ids.getByText(id as string).waitFor()
})

browserTest('labels, moves, trashes, and restores a file by keyboard only', async ({ browsing }) => {
  const { page, who, url } = await openConsole(browsing)
  const client = clientOf(who)
  const file = await storeFile(client, { path: 'a.bin', bytes: Buffer.from('one'), query: '?meta.old=1&tag=first' })
  await page.goto(`${url}/files/${file.id}`)
  await page.getByRole('button', { name: 'Edit: Details' }).focus()
  await page.keyboard.press('Enter')
  await page.keyboard.press('Control+a')
  await page.keyboard.type('camera: X100\nnote: high water: noon')
  await page.keyboard.press('Tab')
  await page.keyboard.press('Control+a')
  await page.keyboard.type('sea\nsand')
  await page.getByRole('button', { name: 'Save' }).focus()
  await page.keyboard.press('Enter')
  await page.getByText('X100').waitFor()
  type Labels = { metadata: object; tags: string[] }
  const { metadata, tags } = (await client.get<Labels>(`/api/files/${file.id}`)).body
  expect({ metadata, tags }).toEqual({ metadata: { camera: 'X100', note: 'high water: noon' }, tags: ['sand', 'sea'] })

  await page.keyboard.press('r')
  await page.keyboard.press('Control+a')
  await page.keyboard.type('boats/b.bin')
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'b.bin', level: 1 }).waitFor()

  await page.getByRole('button', { name: 'Move to trash' }).focus()
  await page.keyboard.press('Enter')
  await page.getByRole('dialog').getByRole('button', { name: 'Move to trash' }).focus()
  await page.keyboard.press('Enter')
  await page.getByText('In the trash.').waitFor()
  await page.reload()
  await page.getByRole('heading', { name: 'File not found' }).waitFor()
  await page.getByRole('button', { name: 'Restore' }).focus()
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'b.bin', level: 1 }).waitFor()
})

browserTest('shows a file link once, opens the file with it, and revokes it', async ({ browsing }) => {
  const { page, who, url } = await openConsole(browsing)
  const file = await storeFile(clientOf(who), { path: 'shared.txt', bytes: Buffer.from('For you') })
  await page.goto(`${url}/files/${file.id}`)
  await page.getByRole('button', { name: 'Create link' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Expires after').selectOption('1 year')
  expect(await dialog.getByLabel('Password').getAttribute('minlength')).toBe('8')
  await dialog.getByLabel('Maximum downloads').fill('5')
  await dialog.getByRole('button', { name: 'Create link' }).click()
  const link = await dialog.getByLabel('Link', { exact: true }).inputValue()
  expect((await fetch(link)).status).toBe(200)
  await dialog.getByRole('button', { name: 'Close' }).last().click()
  await dialog.getByRole('alert').getByText('You have not copied this yet').waitFor()
  await copy(dialog)
  await dialog.getByRole('button', { name: 'Close' }).last().click()
  const links = page.getByRole('region', { name: 'Links' })
  await links.getByText('Downloads: 0 of 5').waitFor()
  expect(await page.content()).not.toContain(link)
  await links.getByRole('button', { name: /^Revoke/ }).click()
  await links.getByText('Revoked').waitFor()
  expect((await fetch(link)).status).not.toBe(200)
})

browserTest('saves a download under its name, even when a browser could display it', async ({ browsing }) => {
  const { page, who, url } = await openConsole(browsing)
  const file = await storeFile(clientOf(who), { path: 'résumé.txt', bytes: Buffer.from('Shown otherwise') })
  await page.goto(`${url}/files/${file.id}`)
  await page.getByRole('heading', { name: 'résumé.txt' }).waitFor()
  for (const state of ['hot', 'cold']) {
    if (state === 'cold') await page.getByText('Archived.').waitFor()
    const download = page.waitForEvent('download')
    await page.keyboard.press('d')
    expect((await download).suggestedFilename(), state).toBe('résumé.txt')
  }
})

browserTest('reports a download that the store refuses and keeps the console open', async ({ browsing }) => {
  const { page, who, url } = await openConsole(browsing)
  const file = await storeFile(clientOf(who), { path: 'letter.txt', bytes: Buffer.from('Dear reader') })
  await page.route('**/api/files/*/download**', (route) => {
    const expiresAt = new Date(Date.now() + 60_000).toISOString()
    return route.fulfill({ json: { downloadUrl: `${sharedStack().s3.endpoint}/none/none`, expiresAt, source: 'hot' } })
  })
  await page.goto(`${url}/files/${file.id}`)
  await page.getByRole('button', { name: 'Download' }).click()
  await page.getByRole('region', { name: 'Notifications' }).getByText('The service did not respond').waitFor()
  expect(page.url()).toBe(`${url}/files/${file.id}`)
})

browserTest('the file page and its forms are accessible in all looks', async ({ browsing }) => {
  const { page, who, url } = await openConsole(browsing)
  const path = `${'long folder/'.repeat(8)}${'wide'.repeat(40)}.txt`
  const file = await storeFile(clientOf(who), { path, bytes: Buffer.from('Text'), query: '?tag=one&meta.key=value' })
  await page.goto(`${url}/files/${file.id}`)
  await page.getByText('Verified', { exact: true }).waitFor()
  await expectAccessibleInAllLooks(page, 'file')
  for (const button of ['Edit: Details', 'Rename or move', 'Create link', 'Move to trash']) {
    await page.getByRole('button', { name: button }).click()
    await page.getByRole('dialog').waitFor()
    await expectAccessibleInAllLooks(page, button)
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
  }
})

browserTest(
  'a public link reads the file without sign-in, and private files have no public link',
  async ({ browsing }) => {
    const { page, who, url } = await openConsole(browsing)
    const client = clientOf(who)
    const file = await storeFile(client, { path: '2026/tide ü.txt', bytes: Buffer.from('High water') })
    await page.goto(`${url}/files/${file.id}`)
    const link = page.getByLabel('Public link')
    await page.getByRole('button', { name: 'Copy link' }).waitFor()
    expect(await (await fetch(await link.inputValue())).text()).toBe('High water')
    const { id: vaultId } = await privateVault(who)
    const encrypted = { vaultId, vaultKey: createVaultKey(), name: 'a' }
    const { id } = await uploadPrivate(sdkOf(who), Buffer.from('Low water'), encrypted)
    await page.goto(`${url}/files/${id}`)
    await page.getByText('No links yet.').waitFor()
    expect(await link.count()).toBe(0)
  },
)
