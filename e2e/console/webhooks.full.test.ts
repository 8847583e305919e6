import { startReceiver } from '@tideport/testing/receiver'
import { expect } from 'vitest'
import { createVault } from '../support/account.ts'
import { browserTest } from '../support/browser/browser-test.ts'
import { clientOf } from '../support/console/client-of.ts'
import { copy } from '../support/console/copy.ts'
import { goTo } from '../support/console/go-to.ts'
import { expectAccessibleInAllLooks } from '../support/console/looks.ts'
import { openConsole } from '../support/console/open-console.ts'
import { createWebhook } from '../support/webhook-events.ts'

browserTest('creates and tests a webhook, shows its delivery, and sends it again', async ({ browsing }) => {
  await using receiver = await startReceiver({
    respond: { status: 500, body: '<script>document.title="ran"</script>' },
  })
  const { page } = await openConsole(browsing)
  await goTo(page, 'Webhooks')
  await page.keyboard.press('n')
  const dialog = page.getByRole('dialog')
  await expectAccessibleInAllLooks(page, 'a new webhook')
  const url = `${receiver.url}?<b>${'a'.repeat(1900)}`
  await page.keyboard.insertText(url)
  await page.keyboard.press('Enter')
  expect(await dialog.getByLabel('Signing secret').inputValue()).toMatch(/^whsec_/)
  await copy(dialog)
  await page.keyboard.press('Escape')

  await page.getByRole('link', { name: url }).waitFor()
  await expectAccessibleInAllLooks(page, 'webhooks')
  await page.getByRole('link', { name: url }).click()
  await page.getByRole('heading', { level: 1, name: url }).waitFor()
  await page.keyboard.press('t')
  await page.getByRole('region', { name: 'Notifications' }).getByText('Test sent: HTTP 500').waitFor()
  await expectAccessibleInAllLooks(page, 'deliveries')
  await page.getByRole('button', { name: /^Show: file\.hot/ }).click()
  await dialog.getByText('Response body').click()
  await dialog.getByText('<script>document.title="ran"</script>').waitFor()
  expect(JSON.parse((await dialog.getByRole('region', { name: 'Request body' }).textContent()) ?? '')).toEqual(
    JSON.parse(String(receiver.requests[0]?.body)),
  )
  expect(await page.title()).not.toBe('ran')
  await expectAccessibleInAllLooks(page, 'a delivery')
  receiver.respondWith({ status: 204 })
  await dialog.getByRole('button', { name: 'Send again' }).click()
  await dialog.getByRole('status').getByText('Delivery queued for sending').waitFor()
  await dialog.getByText('HTTP 204').first().waitFor()
  await page.keyboard.press('Escape')
  await page.getByLabel('Outcome').selectOption('Not delivered')
  await page.getByText('No deliveries').waitFor()
  await page.getByLabel('Outcome').selectOption('Delivered')
  await page.getByRole('button', { name: /^Show: file\.hot/ }).waitFor()
})

browserTest('shows a refusal at its field in the language of the page', async ({ browsing }) => {
  const { page, url, who } = await openConsole(browsing, '/webhooks')
  const dialog = page.getByRole('dialog')
  await page.getByRole('button', { name: 'Create webhook' }).click()
  await dialog.getByLabel('URL').fill('https://receiver.example/')
  const events = dialog.getByRole('group', { name: 'Events' })
  for (const event of ['file.hot', 'file.synced', 'file.cold', 'file.error'])
    await events.getByRole('checkbox', { name: event, exact: true }).uncheck()
  await dialog.getByRole('button', { name: 'Create webhook' }).click()
  await events.getByText('Select at least one event', { exact: true }).waitFor()
  expect(await dialog.getByRole('alert').textContent()).toBe('Some values are not valid')
  await expect.poll(() => page.evaluate('document.activeElement.name')).toBe('events')

  const { id } = await createVault(clientOf(who), 'public')
  await page.evaluate("localStorage.setItem('tideport.language', 'de')")
  await page.goto(`${url}/vaults/${id}`)
  await page.getByRole('button', { name: 'Neuer Ordner' }).click()
  await dialog.getByRole('textbox').fill('ä'.repeat(200))
  await page.keyboard.press('Enter')
  await dialog.getByText('höchstens 255 Byte zwischen zwei Schrägstrichen').waitFor()
  expect(await dialog.getByRole('alert').textContent()).toBe('Der Name oder der Pfad ist zu lang')
  expect(await dialog.getByRole('textbox').getAttribute('aria-invalid')).toBe('true')
})

browserTest('edits a webhook, rotates its secret, disables it, and deletes it', async ({ browsing }) => {
  await using receiver = await startReceiver()
  const { page, who } = await openConsole(browsing)
  const client = clientOf(who)
  const { id, secret } = await createWebhook(client, receiver, ['file.hot'])
  await goTo(page, 'Webhooks')
  await page.getByRole('link', { name: receiver.url }).click()
  await page.getByRole('button', { name: 'Rotate secret' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('button', { name: 'Rotate secret' }).click()
  const next = await dialog.getByLabel('Signing secret').inputValue()
  expect(next).not.toBe(secret)
  await dialog.getByText('deliveries are also signed with the old secret').waitFor()
  await copy(dialog)
  await page.keyboard.press('Escape')
  await dialog.waitFor({ state: 'detached' })

  await page.keyboard.press('e')
  await dialog.getByLabel('vault.created').check()
  await dialog.getByLabel('Enabled').uncheck()
  await dialog.getByRole('button', { name: 'Save' }).click()
  await page.getByText('Disabled', { exact: true }).waitFor()
  const { body } = await client.get(`/api/webhooks/${id}`)
  expect(body).toMatchObject({ active: false, events: ['file.hot', 'vault.created'] })

  await page.getByRole('button', { name: 'Delete' }).click()
  await dialog.getByRole('button', { name: 'Delete' }).click()
  await page.getByRole('heading', { level: 1, name: 'Webhooks' }).waitFor()
  await page.getByText('No webhooks yet').waitFor()
})
