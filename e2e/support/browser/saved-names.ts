import type { BrowserContext, Page } from 'playwright-core'
import { expect } from 'vitest'
import { createVault } from '../account.ts'
import type { ApiClient } from '../api-client.ts'
import { naughtyNames } from '../naughty-names.ts'
import type { FileRecord } from '../resources.ts'
import { uniqueBytes, uploadFile } from '../uploads.ts'
import { openUrl } from './open-url.ts'

/** A public file of every naughty name. */
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

/**
 * The name that the browser saves for a page's download of this name. No header is involved. Asked once for each name.
 */
function nameAllowed(browsing: BrowserContext, name: string): Promise<string> {
  const allowed = allowedNames.get(name) ?? askNameAllowed(browsing, name)
  allowedNames.set(name, allowed)
  return allowed
}

async function askNameAllowed(browsing: BrowserContext, name: string): Promise<string> {
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

/** Sees that every one is saved under its name by each URL that `openEach` has opened. */
export async function expectNames(
  browsing: BrowserContext,
  files: FileRecord[],
  openEach: (file: FileRecord, save: (url: string) => Promise<void>) => Promise<void>,
) {
  const saved: string[][] = []
  const expected: string[][] = []
  const page = await browsing.newPage()
  for (const file of files) {
    // Chromium composes characters that it reads in a header (NFC), and only there.
    const allowed = (await nameAllowed(browsing, file.name)).normalize()
    await openEach(file, async (url) => {
      saved.push([file.name, (await nameSaved(page, url)).normalize()])
      expected.push([file.name, allowed])
    })
  }
  expect(saved).toEqual(expected)
}
