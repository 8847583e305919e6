import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import { createKey, withToken } from '../support/account.ts'
import { browserTest } from '../support/browser/browser-test.ts'
import { clientOf } from '../support/console/client-of.ts'
import { copy } from '../support/console/copy.ts'
import { goTo } from '../support/console/go-to.ts'
import { expectAccessibleInAllLooks } from '../support/console/looks.ts'
import { openConsole } from '../support/console/open-console.ts'
import type { ApiKey } from '../support/resources.ts'

/** HTML, a direction override, and the maximum length of a name. */
const hostile = `<img src=x onerror="document.title='ran'"> \u202Egnp.exe ${'W'.repeat(40)}`
/** `hostile` as the console shows it. */
const shown = hostile.replace('\u202E', '[U+202E]')

const row = (page: Page, name: string) =>
  page.getByRole('listitem').filter({ has: page.getByRole('heading', { name, exact: true }) })

browserTest('creates an API key by keyboard, shows it once, and enforces its limits', async ({ browsing }) => {
  const { page, who } = await openConsole(browsing)
  await goTo(page, 'API keys')
  await page.getByText('No keys yet').waitFor()
  await expectAccessibleInAllLooks(page, 'no keys')
  await page.keyboard.press('n')
  const dialog = page.getByRole('dialog')
  await page.keyboard.type(hostile)
  await dialog.getByLabel('files:read').press('Space')
  await dialog.getByText('Limits').press('Enter')
  await dialog.getByLabel('Default').press('Space')
  await expectAccessibleInAllLooks(page, 'a new key')
  await dialog.getByLabel('Addresses').fill('127.0.0.1\n::1')
  // Limits apply when their section is collapsed again.
  await dialog.getByText('Limits').press('Enter')
  await dialog.getByLabel('Name').press('Enter')

  const key = await dialog.getByLabel('API key').inputValue()
  // Closing once keeps the key visible.
  await page.keyboard.press('Escape')
  await dialog.getByRole('alert').getByText('You have not copied this yet').waitFor()
  await page.keyboard.press('Escape')
  // The key is removed from the page, not only hidden.
  await page.locator('dialog').waitFor({ state: 'detached' })
  await expect.poll(() => page.evaluate('document.activeElement.textContent')).toContain('Create key')

  const { status } = await withToken(clientOf(who), key).get('/api/files')
  const { status: refused } = await withToken(clientOf(who), key).get('/api/webhooks')
  expect([status, refused]).toEqual([200, 403])
  await row(page, shown).getByText('127.0.0.1, ::1').waitFor()
  expect(await row(page, shown).getByText('Default').count()).toBe(1)
  await expectAccessibleInAllLooks(page, 'keys')
  expect(await page.title()).not.toBe('ran')
  const kept = await page.evaluate(
    '[JSON.stringify(localStorage), JSON.stringify(sessionStorage), location.href, document.body.innerHTML].join()',
  )
  expect(kept).not.toContain(key)
})

browserTest(
  'creates S3 credentials with a key, and shows endpoint, secret, and configurations once',
  async ({ browsing }) => {
    const { page, who } = await openConsole(browsing)
    await goTo(page, 'API keys')
    await page.getByRole('button', { name: /^Create key/ }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Name').fill('Backup')
    await dialog.getByLabel(/S3 clients/).check()
    await dialog.getByLabel('Name').press('Enter')
    const secret = await dialog.getByLabel('Secret access key').inputValue()
    const accessKeyId = await dialog.getByLabel('Access key ID').inputValue()
    const endpoint = await dialog.getByLabel('S3 endpoint').inputValue()
    expect([secret.length, accessKeyId.length]).toEqual([40, 20])
    expect(endpoint).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/)
    for (const tool of ['rclone', 'aws-cli', 'boto3']) await dialog.getByText(tool, { exact: true }).click()
    for (const configuration of await dialog.getByLabel('Configuration').all()) {
      const lines = await configuration.inputValue()
      for (const value of [secret, accessKeyId, endpoint]) expect(lines).toContain(value)
    }
    await expectAccessibleInAllLooks(page, 'a new key for S3')
    await copy(dialog.locator('.field').first())
    await dialog.getByRole('button', { name: 'Close' }).last().click()
    await row(page, 'Backup').getByText(accessKeyId).waitFor()
    expect(await page.content()).not.toContain(secret)
    const { body } = await clientOf(who).get<{ apiKeys: ApiKey[] }>('/api/auth/api-keys')
    expect(JSON.stringify(body)).not.toContain(secret)
  },
)

browserTest('rotates a key with an overlap and revokes it after a confirmation', async ({ browsing }) => {
  const { page, who } = await openConsole(browsing)
  const client = clientOf(who)
  const { key, id } = await createKey(client, { name: 'Backup' })
  await goTo(page, 'API keys')
  await page.getByRole('button', { name: 'Rotate: Backup' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Keep the old key valid for').selectOption('1 hour')
  await dialog.getByRole('button', { name: 'Rotate' }).click()
  const next = await dialog.getByLabel('API key').inputValue()
  await copy(dialog)
  await dialog.getByRole('button', { name: 'Close' }).last().click()
  const statuses = await Promise.all(
    [key, next].map(async (one) => (await withToken(client, one).get('/api/files')).status),
  )
  expect(statuses).toEqual([200, 200])
  const { body } = await client.get<ApiKey>(`/api/auth/api-keys/${id}`)
  expect(Date.parse(body.expiresAt ?? '') - Date.now()).toBeLessThanOrEqual(3_600_000)

  await page.getByRole('button', { name: 'Revoke: Backup' }).first().click()
  await dialog.getByText('You cannot undo this').waitFor()
  await dialog.getByRole('button', { name: 'Revoke' }).click()
  await dialog.waitFor({ state: 'detached' })
  await page.getByRole('list', { name: 'API keys' }).getByRole('listitem').nth(1).waitFor({ state: 'detached' })
  await expect.poll(() => page.evaluate('document.activeElement.localName')).toBe('main')
  await page.getByRole('region', { name: 'Notifications' }).getByText('revoked').waitFor()
  expect((await withToken(client, next).get('/api/files')).status).toBe(401)
  await page.getByLabel('Show revoked keys').check()
  await page.getByText('Revoked', { exact: true }).first().waitFor()
})
