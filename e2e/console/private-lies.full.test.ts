import { createVault } from '@tideport/sdk'
import type { Browser } from 'playwright-core'
import { expect } from 'vitest'
import { browserTest, openProfile } from '../support/browser/browser-test.ts'
import { expectAccessible } from '../support/console/expect-accessible.ts'
import { openConsole, signInAs } from '../support/console/open-console.ts'
import { openedVault, putFile, sdkOf } from '../support/console/private-vault.ts'

browserTest(
  'refuses to upload to a vault with a local key if the service reports the vault as public',
  async ({ browsing }) => {
    const { page, who, url } = await openConsole(browsing)
    const vault = await createVault(sdkOf(who), { name: 'Said to be public', visibility: 'public' })
    await page.evaluate(`localStorage.setItem('tideport.vault-key.${vault.id}', 'a key of before')`)
    await page.goto(`${url}/vaults/${vault.id}/key`)
    await page.getByText('Do not upload files').waitFor()
  },
)

browserTest('treats a vault created as private as private, whatever the response reports', async ({ browsing }) => {
  const { page } = await openConsole(browsing)
  await page.route(/\/api\/vaults/, async (route) => {
    const response = await route.fetch()
    await route.fulfill({ response, body: (await response.text()).replaceAll('"private"', '"public"') })
  })
  await page.getByRole('button', { name: 'Create vault' }).first().click()
  await page.getByLabel('Name', { exact: true }).fill('Secret plans')
  await page.getByRole('radio', { name: 'Private' }).check()
  await page.keyboard.press('Enter')
  await page.getByRole('link', { name: 'Secret plans' }).click()
  await page.getByRole('alert').getByText('Uploads are blocked').waitFor()
  expect(await page.locator('input[type=file]').count()).toBe(0)
})

browserTest(
  'uploads nothing unencrypted to a private vault that the service reports as public',
  async ({ browsing, browser }) => {
    const { page, who, url } = await openConsole(browsing)
    const vault = await openedVault(page, url, who)
    await putFile(page, 'today.txt', 'text/plain', Buffer.from('Dear diary'))
    const sentence = 'Uploads are blocked'
    const shown = (_: string, body: object) => body
    for (const [hides, rewrite] of [
      ['the visibility', shown],
      ['the visibility and the key', shown],
      [
        'the visibility, the key and the top folder',
        (url, body) => (url.includes('delimiter=') ? noFiles(body) : body),
      ],
      ['the visibility, the key and the wrapped keys', (_, body) => without(['wrappedKey'], body)],
      ['the visibility, the key and lists of encrypted files', (_, body) => without(encryptionFields, body)],
    ] as [string, (url: string, body: object) => object][]) {
      const isHonestOfLists = rewrite === shown || hides.endsWith('wrapped keys')
      // A browser that has never seen the vault.
      await using elsewhere = await openProfile(browser as Browser)
      const sent: string[] = []
      elsewhere.on('request', (request) => request.method() !== 'GET' && sent.push(request.url()))
      await elsewhere.route(/\/api\/(vaults|files)/, async (route) => {
        if (route.request().method() !== 'GET') return await route.fulfill({ json: {} })
        const response = await route.fetch()
        const body = await response.json()
        const keyId = hides === 'the visibility' ? body.keyId : null
        const json = body.visibility ? { ...body, visibility: 'public', keyId } : rewrite(route.request().url(), body)
        await route.fulfill({ response, json })
      })
      const other = await elsewhere.newPage()
      await other.goto(`${url}/vaults/${vault.id}`)
      await signInAs(other, who)
      await other.getByRole('button', { name: 'New folder' }).waitFor()
      if (!isHonestOfLists) {
        await other
          .locator('input[type=file]')
          .first()
          .setInputFiles({ name: 'secret.txt', mimeType: 'text/plain', buffer: Buffer.from('A secret') })
        await other.getByText('Unlock this vault to upload files.').waitFor()
      }
      await other.getByRole('alert').getByText(sentence).waitFor()
      expect(await other.locator('input[type=file]').count(), hides).toBe(0)
      await expectAccessible(other, hides)
      // Dropped files are refused too, and the refusal survives a reload.
      await other.reload()
      await other.getByRole('alert').getByText(sentence).waitFor()
      await other.locator('.drop-zone').evaluate(dropFile)
      expect(sent, hides).toEqual([])
    }
  },
)

const encryptionFields = ['wrappedKey', 'encryptionIv', 'plaintextSizeBytes', 'plaintextChecksumSha256']

const noFiles = (body: object) => ('files' in body ? { ...body, files: [] } : body)

/** Removes the fields from lists of files, and a single field also from responses about one file. */
function without(fields: readonly string[], body: object): object {
  const none = Object.fromEntries(fields.map((field) => [field, null]))
  if ('files' in body && Array.isArray(body.files)) {
    return { ...body, files: body.files.map((file) => ({ ...file, ...none })) }
  }
  return fields.length === 1 && 'wrappedKey' in body ? { ...body, ...none } : body
}

/** Drops a 1-byte file on the page. */
const dropFile = (zone: unknown): void => {
  const scope = globalThis as unknown as Record<
    string,
    new (
      ...given: unknown[]
    ) => { items: { add(file: unknown): void } }
  >
  const dataTransfer = new (scope.DataTransfer as (typeof scope)[string])()
  dataTransfer.items.add(new (scope.File as (typeof scope)[string])(['A'], 'dropped.txt'))
  const event = new (scope.DragEvent as (typeof scope)[string])('drop', {
    bubbles: true,
    cancelable: true,
    dataTransfer,
  })
  ;(zone as { dispatchEvent(event: unknown): void }).dispatchEvent(event)
}
