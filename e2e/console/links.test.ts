import { expect } from 'vitest'
import { createVault } from '../support/account.ts'
import { browserTest } from '../support/browser/browser-test.ts'
import { clientOf } from '../support/console/client-of.ts'
import { copy } from '../support/console/copy.ts'
import { goTo } from '../support/console/go-to.ts'
import { expectAccessibleInAllLooks } from '../support/console/looks.ts'
import { openConsole } from '../support/console/open-console.ts'

browserTest('creates a folder link that works until it is revoked', async ({ browsing }) => {
  const { page, who } = await openConsole(browsing)
  const client = clientOf(who)
  await createVault(client, 'public', 'Albums <b>')
  await page.goto(`${page.url()}/links`)
  await page.getByText('No links').waitFor()
  await page.keyboard.press('n')
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Vault', { exact: true }).selectOption('Albums <b>')
  await dialog.getByRole('textbox', { name: 'Folder', exact: true }).fill('/2026/photos')
  await dialog.getByLabel('Maximum downloads').fill('3')
  await dialog.getByLabel('Expires after').selectOption('1 day')
  await dialog.getByRole('button', { name: 'Create link' }).click()
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

browserTest('creates an upload link with its limits, in accessible forms', async ({ browsing }) => {
  const { page } = await openConsole(browsing)
  await goTo(page, 'Links')
  await page.keyboard.press('n')
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('radio', { name: 'Upload' }).check()
  await expectAccessibleInAllLooks(page, 'a new link')
  await dialog.getByLabel('Maximum files').fill('7')
  await dialog.getByLabel('Largest file').fill('2')
  await dialog.getByLabel('File types').fill('image/*\napplication/pdf')
  await dialog.getByLabel('Password').fill('correct horse')
  await dialog.getByRole('button', { name: 'Create link' }).click()
  await dialog.getByRole('button', { name: 'Copy' }).waitFor()
  await expectAccessibleInAllLooks(page, 'a link, shown once')
  await copy(dialog)
  await page.keyboard.press('Escape')
  for (const told of ['0 of 7', '0 bytes of 1 GB', '2 MB', 'image/*, application/pdf', 'Review first']) {
    await page.getByText(told, { exact: true }).waitFor()
  }
  await expectAccessibleInAllLooks(page, 'links')
})

browserTest('marks received files and publishes them from the folder and from the file page', async ({ browsing }) => {
  const { page, who, url } = await openConsole(browsing)
  const client = clientOf(who)
  const { id: vaultId } = await createVault(client, 'public')
  const upload = { maxFiles: 5, maxFileBytes: 100, maxBytes: 500 }
  const { body: link } = await client.post<{ contentUrl: string }>(`/api/vaults/${vaultId}/links`, {
    prefix: '',
    upload,
  })
  for (const name of ['a', 'b']) {
    const sent = new URL(new URL(`${link.contentUrl}${name}`).pathname, client.baseUrl)
    expect((await fetch(sent, { method: 'PUT', body: name })).status).toBe(201)
  }
  const { body } = await client.get<{ files: { id: string; name: string }[] }>(`/api/files?vaultId=${vaultId}`)
  const [first, second] = body.files as [{ id: string; name: string }, { id: string; name: string }]
  const isPublic = async ({ id }: { id: string }) =>
    (await fetch(`${client.baseUrl}/api/public/files/${id}`)).status === 200
  await page.goto(`${url}/vaults/${vaultId}`)
  const row = page.getByRole('row').filter({ hasText: first.name })
  await row.getByText('Awaiting review').waitFor()
  await page.getByRole('checkbox', { name: `Select ${first.name}` }).check()
  await expectAccessibleInAllLooks(page, 'a received file, selected')
  await page.getByRole('button', { name: 'Publish', exact: true }).click()
  await row.getByText('Awaiting review').waitFor({ state: 'detached' })
  expect([await isPublic(first), await isPublic(second)]).toEqual([true, false])

  await page.goto(`${url}/files/${second.id}`)
  await page.getByText('Only you can see it until you publish it.').waitFor()
  await page.getByRole('button', { name: 'Publish', exact: true }).click()
  await page.getByText('Only you can see it until you publish it.').waitFor({ state: 'detached' })
  expect(await isPublic(second)).toBe(true)
})

browserTest('refreshes the visible part of a long list and the rest when it becomes visible', async ({ browsing }) => {
  const { page, who, url } = await openConsole(browsing)
  const client = clientOf(who)
  const { id: vaultId } = await createVault(client, 'public')
  for (let n = 0; n < 60; n += 1)
    await client.post(`/api/vaults/${vaultId}/links`, { prefix: `${n}/`, expiresInSeconds: 3600 })
  await page.goto(`${url}/links`)
  const rows = page
    .getByRole('list', { name: 'Links' })
    .getByRole('listitem')
    .filter({ has: page.getByRole('heading') })
  await page.getByRole('button', { name: 'Load more' }).click()
  await expect.poll(() => rows.count()).toBe(60)
  await rows.last().scrollIntoViewIfNeeded()

  const asked: (string | null)[] = []
  page.on('request', (request) => {
    const { pathname, searchParams } = new URL(request.url())
    if (pathname === '/api/links' && request.method() === 'GET') asked.push(searchParams.get('cursor'))
  })
  await rows
    .last()
    .getByRole('button', { name: /^Revoke/ })
    .click()
  await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click()
  await rows.last().getByText('Revoked', { exact: true }).first().waitFor()
  expect(asked.map((cursor) => cursor !== null)).toEqual([true])
  await client.post(`/api/vaults/${vaultId}/links`, { prefix: 'new/', expiresInSeconds: 3600 })
  await rows.first().scrollIntoViewIfNeeded()
  await rows.first().getByText('new/').waitFor()
  expect(await rows.count()).toBe(61)
})
