import { expect } from 'vitest'
import { createVault } from '../support/account.ts'
import { browserTest } from '../support/browser/browser-test.ts'
import { clientOf } from '../support/console/client-of.ts'
import { copy } from '../support/console/copy.ts'
import { goTo } from '../support/console/go-to.ts'
import { expectAccessibleInAllLooks } from '../support/console/looks.ts'
import { openConsole } from '../support/console/open-console.ts'

browserTest('a link to a folder is made, opens, and stops once it is revoked', async ({ browsing }) => {
  const { page, who } = await openConsole(browsing)
  const client = clientOf(who)
  await createVault(client, 'public', 'Albums <b>')
  await page.goto(`${page.url()}/links`)
  await page.getByText('No links').waitFor()
  await page.keyboard.press('n')
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Vault', { exact: true }).selectOption('Albums <b>')
  await dialog.getByRole('textbox', { name: 'Folder', exact: true }).fill('/2026/photos')
  await dialog.getByLabel('Downloads at most').fill('3')
  await dialog.getByLabel('Ends after').selectOption('1 day')
  await dialog.getByRole('button', { name: 'New link' }).click()
  const url = await dialog.getByLabel('Link', { exact: true }).inputValue()
  await copy(dialog)
  await page.keyboard.press('Escape')
  await page.getByRole('heading', { name: 'Albums <b> / 2026/photos/' }).waitFor()
  await page.getByText('0 of 3').waitFor()
  expect((await fetch(url)).status).toBe(200)

  await page.getByRole('button', { name: /^Revoke/ }).click()
  await dialog.getByRole('button', { name: 'Revoke' }).click()
  await page.getByText('Revoked', { exact: true }).first().waitFor()
  expect((await fetch(url)).status).toBe(404)
  expect(await page.evaluate('JSON.stringify([localStorage, sessionStorage])')).not.toContain(url.split('/').at(-1))
})

browserTest('a link to put files in is made with its bounds, and its forms are accessible', async ({ browsing }) => {
  const { page } = await openConsole(browsing)
  await goTo(page, 'Links')
  await page.keyboard.press('n')
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('radio', { name: 'Upload' }).check()
  await expectAccessibleInAllLooks(page, 'a new link')
  await dialog.getByLabel('Files at most').fill('7')
  await dialog.getByLabel('Largest file').fill('2')
  await dialog.getByLabel('Types of files').fill('image/*\napplication/pdf')
  await dialog.getByLabel('Password').fill('correct horse')
  await dialog.getByRole('button', { name: 'New link' }).click()
  await dialog.getByRole('button', { name: 'Copy' }).waitFor()
  await expectAccessibleInAllLooks(page, 'a link, shown once')
  await copy(dialog)
  await page.keyboard.press('Escape')
  for (const told of ['0 of 7', '0 bytes of 1 GB', '2 MB', 'image/*, application/pdf']) {
    await page.getByText(told, { exact: true }).waitFor()
  }
  await expectAccessibleInAllLooks(page, 'links')
})
