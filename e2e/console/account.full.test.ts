import { readFile } from 'node:fs/promises'
import { expect } from 'vitest'
import { createKey, createVault } from '../support/account.ts'
import { browserTest } from '../support/browser/browser-test.ts'
import { clientOf } from '../support/console/client-of.ts'
import { goTo } from '../support/console/go-to.ts'
import { expectAccessibleInAllLooks } from '../support/console/looks.ts'
import { openConsole } from '../support/console/open-console.ts'
import { ownBucket } from '../support/own-bucket.ts'
import { uniqueBytes, untilStatus, uploadFile } from '../support/uploads.ts'

const hostile = '<img src=x onerror=alert(1)> \u202Egnp.exe'
/** `hostile` as the console shows it. */
const shown = hostile.replace('\u202E', '[U+202E]')

browserTest('usage shows the total, each network, and each vault', async ({ browsing }) => {
  const { page, who } = await openConsole(browsing)
  const client = clientOf(who)
  const { id: vaultId } = await createVault(client, 'public', hostile)
  await uploadFile(client, { vaultId, name: 'a.bin', bytes: uniqueBytes(1500) })
  await page.goto(`${page.url()}/usage`)
  const vaults = page.getByRole('list', { name: 'Per vault' })
  await vaults.getByText('1 file · 1.5 kB').last().waitFor()
  expect(await vaults.getByRole('meter').count()).toBe(2)
  await page.getByRole('img', { name: /^Storage used: 1.5 kB on .* 1.5 kB today/ }).waitFor()
  await page.getByLabel('Period').selectOption('Last 365 days')
  await page.getByRole('img', { name: /^Files: 1 on/ }).waitFor()
  const vault = vaults.getByRole('listitem').filter({ hasText: shown })
  await vault.getByText('Over time').click()
  await vault.getByRole('img', { name: /^Storage used: 1.5 kB/ }).waitFor()
  await vault.getByText('Show as table').click()
  await vault.getByRole('row').filter({ hasText: '1.5 kB' }).last().waitFor()
  await expectAccessibleInAllLooks(page, 'usage')
})

browserTest('the audit log filters by event and time, and shows hostile names as text', async ({ browsing }) => {
  const { page, who } = await openConsole(browsing)
  const client = clientOf(who)
  await createKey(client, { name: hostile })
  await createVault(client, 'public', hostile)
  await goTo(page, 'Audit log')
  const log = page.getByRole('list', { name: 'Audit log' })
  await log.getByText(shown).first().waitFor()
  await page.getByLabel('Event').selectOption('account.created')
  await log.getByText(shown).first().waitFor({ state: 'detached' })
  await log.getByText('account.created').waitFor()
  expect(await log.getByRole('listitem').count()).toBe(1)
  await page.getByLabel('Before').fill('2020-01-01T00:00')
  await page.getByText('No entry matches these filters.').waitFor()

  await page.getByRole('link', { name: 'Files and vaults' }).click()
  await log.getByText(shown).first().waitFor()
  await page.getByText('Details', { exact: true }).first().click()
  await expectAccessibleInAllLooks(page, 'audit log')
  await page.getByLabel('File or vault').fill('nonsense')
  await page.getByLabel('File or vault').press('Enter')
  await page.getByText('Enter a valid file or vault ID.').waitFor()
  await page.getByLabel('Event').selectOption('vault.purged')
  await page.getByText('No entry matches these filters.').waitFor()
})

browserTest('the audit log loads page by page and shows when all entries are loaded', async ({ browsing }) => {
  const { page, who } = await openConsole(browsing)
  const client = clientOf(who)
  for (let made = 0; made < 60; made++)
    await client.post('/api/vaults', { name: `Vault ${made}`, visibility: 'public' })
  await page.goto(`${page.url()}/audit/files`)
  await page.getByText('50 shown, more available').waitFor()
  await page.getByRole('button', { name: 'Load more' }).press('Enter')
  await page.getByText('All 61 shown').waitFor()
  await expect.poll(() => page.evaluate('document.activeElement.textContent')).toBe('All 61 shown')
})

browserTest('shows a job until it finishes', async ({ browsing }) => {
  const { page, who } = await openConsole(browsing)
  const client = clientOf(who)
  const { id: vaultId } = await createVault(client, 'public', hostile)
  await uploadFile(client, { vaultId, name: 'a.bin', bytes: uniqueBytes(10) })
  await goTo(page, 'Jobs')
  await page.getByText('No jobs').waitFor()
  await client.post(`/api/vaults/${vaultId}/copy`, { prefix: '', to: 'copies/' })
  await page.reload()
  const jobs = page.getByRole('list', { name: 'Jobs' })
  await jobs.getByText('Done', { exact: true }).waitFor()
  await jobs.getByText(shown).waitFor()
  await expectAccessibleInAllLooks(page, 'jobs')
})

browserTest('saves the complete manifest', async ({ browsing }) => {
  const { page } = await openConsole(browsing)
  await goTo(page, 'Export')
  const saved = page.waitForEvent('download')
  await page.getByRole('button', { name: 'Download manifest' }).click()
  const lines = (await readFile(await (await saved).path(), 'utf8')).trimEnd().split('\n')
  expect(lines.map((line) => JSON.parse(line).type)).toEqual(['tideport-manifest', 'vault', 'end'])
  await page.getByText('Manifest downloaded').waitFor()
  await expectAccessibleInAllLooks(page, 'export')
})

browserTest('starts an export, shows its progress, and lists the result', async ({ browsing }) => {
  const { page, who } = await openConsole(browsing)
  const client = clientOf(who)
  const { id: vaultId } = await createVault(client, 'public', hostile)
  const file = await uploadFile(client, { vaultId, name: 'a.bin', bytes: uniqueBytes(10) })
  await untilStatus(client, file.id, 'synced')
  await page.goto(`${page.url()}/export`)
  await page.getByText('No exports').waitFor()
  await page.keyboard.press('n')
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Delete the export').selectOption('After 7 days')
  await expectAccessibleInAllLooks(page, 'a new export')
  await dialog.getByRole('button', { name: 'Start export' }).click()
  const exports = page.getByRole('list', { name: 'All files' })
  await exports.getByText('Done', { exact: true }).waitFor()
  const href = await exports.getByRole('link').getAttribute('href')
  const { body } = await client.get<{ name: string }>(`/api/vaults/${href?.split('/').at(-1)}`)
  expect(body.name).toMatch(/^export-/)
  await expectAccessibleInAllLooks(page, 'exports')
})

browserTest('exports to a bucket without showing its credentials on any page', async ({ browsing }) => {
  const { page } = await openConsole(browsing)
  await using own = await ownBucket()
  const { endpoint, bucket, accessKeyId, secretAccessKey } = own.target
  await page.goto(`${page.url()}/export`)
  await page.getByText('No exports').waitFor()
  await page.keyboard.press('n')
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Your own bucket').check()
  const typed = { Endpoint: endpoint, Bucket: bucket, Prefix: 'mine', 'Access key ID': accessKeyId }
  for (const [label, value] of Object.entries(typed)) await dialog.getByLabel(label, { exact: true }).fill(value)
  const secret = dialog.getByLabel('Secret access key')
  expect([await secret.getAttribute('type'), await secret.getAttribute('autocomplete')]).toEqual(['password', 'off'])
  await secret.fill(secretAccessKey)
  await expectAccessibleInAllLooks(page, 'a new export to a bucket')
  await dialog.getByRole('button', { name: 'Start export' }).click()
  const exports = page.getByRole('list', { name: 'All files' })
  await exports.getByText('Done', { exact: true }).waitFor({ timeout: 120_000 })
  await exports.getByText(`s3://${bucket}/mine/export-`).waitFor()
  expect(await page.content()).not.toContain(secretAccessKey)
  expect((await own.keys()).length).toBeGreaterThan(0)
})

browserTest('shows a failed read and retries it on request', async ({ browsing }) => {
  const { page } = await openConsole(browsing)
  for (const [name, path] of [
    ['API keys', '/api/auth/api-keys'],
    ['Webhooks', '/api/webhooks'],
    ['Links', '/api/links'],
    ['Jobs', '/api/jobs'],
    ['Usage', '/api/account'],
    ['Audit log', '/api/account/events'],
  ] as const) {
    const route = (url: URL) => url.pathname === path
    await page.route(route, (request) =>
      request.fulfill({ status: 403, json: { error: 'Not <b>now</b>', code: 'forbidden' } }),
    )
    await goTo(page, name)
    await page.getByText('Not <b>now</b>').waitFor()
    await page.unroute(route)
    await page.getByRole('button', { name: 'Retry' }).click()
    await page.getByText('Not <b>now</b>').waitFor({ state: 'detached' })
  }
})
