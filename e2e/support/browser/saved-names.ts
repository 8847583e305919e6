import type { BrowserContext, Page } from 'playwright-core'
import { expect } from 'vitest'
import { createVault } from '../account.ts'
import type { ApiClient } from '../api-client.ts'
import { naughtyNames } from '../naughty-names.ts'
import type { FileRecord } from '../resources.ts'
import { uniqueBytes, uploadFile } from '../uploads.ts'
import { openUrl } from './open-url.ts'

/** Stores a public file under each naughty name. */
export async function storeNaughtyNames(client: ApiClient): Promise<FileRecord[]> {
  const { id: vaultId } = await createVault(client, 'public')
  const files: FileRecord[] = []
  for (const name of naughtyNames) files.push(await uploadFile(client, { vaultId, name, bytes: uniqueBytes(8) }))
  return files
}

async function nameSaved(page: Page, url: string): Promise<string> {
  const download = await openUrl(page, url)
  if (download === null) throw new Error(`${url} was shown, not saved`)
  return download.suggestedFilename()
}

const allowedNames = new Map<string, Promise<string>>()

/** The name under which the browser saves a page's own download of this name, without any header. Cached by name. */
function nameAllowed(browsing: BrowserContext, name: string): Promise<string> {
  const allowed = allowedNames.get(name) ?? askNameAllowed(browsing, name)
  allowedNames.set(name, allowed)
  return allowed
}

async function askNameAllowed(browsing: BrowserContext, name: string): Promise<string> {
  // A new page for each name, because Chromium allows a document only ten consecutive downloads.
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

/** Fails unless each URL that `openEach` saves gets exactly the name of its file. */
export async function expectNames(
  browsing: BrowserContext,
  files: FileRecord[],
  openEach: (file: FileRecord, save: (url: string) => Promise<void>) => Promise<void>,
) {
  const saved: string[][] = []
  const expected: string[][] = []
  const page = await browsing.newPage()
  for (const file of files) {
    // Chromium composes characters (NFC) only if it reads them from a header.
    const allowed = (await nameAllowed(browsing, file.name)).normalize()
    await openEach(file, async (url) => {
      saved.push([file.name, (await nameSaved(page, url)).normalize()])
      expected.push([file.name, allowed])
    })
  }
  expect(saved).toEqual(expected)
}
