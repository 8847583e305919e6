import { expect } from 'vitest'
import { createKey, createVault } from '../support/account.ts'
import { browserTest } from '../support/browser/browser-test.ts'
import { clientOf } from '../support/console/client-of.ts'
import { expectAccessible } from '../support/console/expect-accessible.ts'
import { consoleUrl, openConsole, openPage, signInAs, signOut } from '../support/console/open-console.ts'
import { storeFile } from '../support/console/store-file.ts'
import { freshAccount } from '../support/shared-stack.ts'

browserTest('keeps a key in its tab only: across a reload, but not in local storage', async ({ browsing }) => {
  const { key } = await createKey(freshAccount())
  const page = await openPage(browsing, await consoleUrl())
  await expectAccessible(page, 'signing in')
  await page.getByLabel('API key').fill(key)
  await page.getByRole('button', { name: 'Sign in with key' }).click()
  await page.getByRole('heading', { name: 'Default' }).waitFor()
  await page.reload()
  await page.getByRole('heading', { name: 'Default' }).waitFor()
  const kept = await page.evaluate('[JSON.stringify(localStorage), document.cookie].join()')
  expect(kept).not.toContain(key)
  const other = await openPage(browsing, await consoleUrl())
  await other.getByRole('heading', { name: 'Sign in' }).waitFor()
})

browserTest('reports a wrong key, and a revoked key ends the session', async ({ browsing }) => {
  const account = freshAccount()
  const { id, key } = await createKey(account)
  const page = await openPage(browsing, await consoleUrl())
  for (const [wrong, told] of [
    ['nonsense', 'A key starts with tdp_.'],
    [`tdp_${'a'.repeat(40)}`, 'The key is not valid.'],
  ] as const) {
    await page.getByLabel('API key').fill(wrong)
    await page.getByRole('button', { name: 'Sign in with key' }).click()
    await page.getByText(told).waitFor()
  }
  await page.getByLabel('API key').fill(key)
  await page.getByRole('button', { name: 'Sign in with key' }).click()
  await page.getByRole('heading', { name: 'Default' }).waitFor()
  await account.delete(`/api/auth/api-keys/${id}`)
  await page.reload()
  await page.getByText('Your session has expired.').waitFor()
})

browserTest('shows a new user no notifications of the user who signed out', async ({ browsing }) => {
  const { page, who, url } = await openConsole(browsing)
  const client = clientOf(who)
  const { vaultId } = await storeFile(client, { path: 'secret plans.txt', bytes: Buffer.from('Plans') })
  await storeFile(client, { path: 'secret folder/a.txt', bytes: Buffer.from('More') })
  // The job never finishes.
  await page.route('**/api/jobs/*', async (route) => {
    const response = await route.fetch()
    await route.fulfill({ response, json: { ...(await response.json()), state: 'running' } })
  })
  await page.goto(`${url}/vaults/${vaultId}`)
  for (const name of ['secret folder', 'secret plans.txt']) {
    await page.getByRole('checkbox', { name: `Select ${name}` }).check()
    await page.getByRole('button', { name: 'Move to trash' }).click()
    await page.getByRole('row').filter({ hasText: name }).waitFor({ state: 'detached' })
  }
  const notices = page.getByRole('region', { name: 'Notifications' }).getByRole('listitem')
  await notices.filter({ has: page.getByRole('button', { name: 'Undo' }) }).waitFor()
  const tray = page.getByRole('region', { name: 'In progress' })
  await tray.waitFor()
  await signOut(page)
  await page.getByRole('heading', { name: 'Sign in' }).waitFor()
  expect(await notices.count()).toBe(0)
  await signInAs(page, `next-${crypto.randomUUID()}`)
  expect(await tray.count()).toBe(0)
})

browserTest('shows all texts in German and remembers language and theme', async ({ browsing }) => {
  const { page } = await openConsole(browsing)
  await page.getByText('Settings').click()
  await page.getByLabel('Language').selectOption('Deutsch')
  await page.getByRole('heading', { name: 'Tresore' }).waitFor()
  await page.getByLabel('Design').selectOption('Dunkel')
  await page.reload()
  await page.getByRole('heading', { name: 'Tresore' }).waitFor()
  expect(await page.evaluate('[document.documentElement.lang, document.documentElement.dataset.theme].join()')).toBe(
    'de,dark',
  )
})

browserTest('sign-out clears all user data, and the next user in the tab sees none of it', async ({ browsing }) => {
  const { page, who } = await openConsole(browsing)
  await createVault(clientOf(who), 'private', 'Secret plans')
  await page.reload()
  await page.getByRole('heading', { name: 'Secret plans' }).waitFor()
  await signOut(page)
  await page.getByRole('heading', { name: 'Sign in' }).waitFor()
  await page.reload()
  await page.getByRole('heading', { name: 'Sign in' }).waitFor()
  expect(await page.evaluate('sessionStorage.length')).toBe(0)
  await page.route('**/api/vaults?*', () => {})
  await signInAs(page, `console-${crypto.randomUUID()}`)
  await page.getByText('Loading', { exact: true }).waitFor()
  expect(await page.getByText('Secret plans').count()).toBe(0)
})
