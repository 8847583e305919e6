import type { BrowserContext, Page } from 'playwright-core'
import { expect } from 'vitest'
import { createVault, newAccount } from '../support/account.ts'
import type { ApiClient } from '../support/api-client.ts'
import { browserTest } from '../support/browser/browser-test.ts'
import { openUrl } from '../support/browser/open-url.ts'
import { naughtyNames } from '../support/naughty-names.ts'
import { publicFileUrl } from '../support/reading.ts'
import type { Download, FileRecord } from '../support/resources.ts'
import { freshAccount } from '../support/shared-stack.ts'
import { startTestStack } from '../support/start-test-stack.ts'
import { uniqueBytes, untilStatus, uploadFile } from '../support/uploads.ts'

async function storeAll(client: ApiClient): Promise<FileRecord[]> {
  const { id: vaultId } = await createVault(client, 'public')
  const files: FileRecord[] = []
  for (const name of naughtyNames) files.push(await uploadFile(client, { vaultId, name, bytes: uniqueBytes(8) }))
  return files
}

const downloadUrl = async (client: ApiClient, { id }: FileRecord) =>
  (await client.get<Download>(`/api/files/${id}/download`)).body.downloadUrl

async function nameSaved(page: Page, url: string): Promise<string> {
  const download = await openUrl(page, url)
  if (download === null) throw new Error(`${url} was shown, not saved`)
  return download.suggestedFilename()
}

/**
 * The name under which the browser saves what a page hands it with this very name: what is left of the name where a
 * character cannot stand in a file's. No header is involved.
 */
async function nameAllowed(browsing: BrowserContext, name: string): Promise<string> {
  // A page of its own for each: Chromium lets no document save more than ten in a row.
  const page = await browsing.newPage()
  const saved = page.waitForEvent('download')
  await page.evaluate(`{
    const link = document.createElement('a')
    link.href = URL.createObjectURL(new Blob([], { type: 'application/octet-stream' }))
    link.download = ${JSON.stringify(name)}
    link.click()
  }`)
  const allowed = (await saved).suggestedFilename()
  await page.close()
  return allowed
}

async function expectNames(
  browsing: BrowserContext,
  files: FileRecord[],
  urlsOf: (file: FileRecord) => Promise<string[]>,
) {
  const page = await browsing.newPage()
  for (const file of files) {
    // Chromium composes characters that it reads in a header (NFC), and only there.
    const allowed = (await nameAllowed(browsing, file.name)).normalize()
    for (const url of await urlsOf(file)) {
      expect.soft((await nameSaved(page, url)).normalize(), file.name).toBe(allowed)
    }
  }
}

browserTest('a file that is streamed is saved under exactly its name', async ({ browsing }) => {
  const client = freshAccount()
  await expectNames(browsing, await storeAll(client), async (file) => {
    await untilStatus(client, file.id, 'cold')
    return [publicFileUrl(client, file.id), await downloadUrl(client, file)]
  })
})

browserTest('a file that comes from the object storage is saved under exactly its name', async ({ browsing }) => {
  await using stack = await startTestStack({ env: { PUBLIC_READS: 'redirect', HOT_RETENTION_SECONDS: '3600' } })
  const client = newAccount(stack.describe().gatewayUrls[0] as string)
  await expectNames(browsing, await storeAll(client), async (file) => [
    publicFileUrl(client, file.id),
    await downloadUrl(client, file),
  ])
})
