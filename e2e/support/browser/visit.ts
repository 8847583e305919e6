import { waitFor } from '@tideport/testing/wait-for'
import type { BrowserContext, Page } from 'playwright-core'
import { expect } from 'vitest'
import { createVault } from '../account.ts'
import type { ApiClient } from '../api-client.ts'
import type { FileRecord } from '../resources.ts'
import { uploadFile } from '../uploads.ts'
import type { HostileFile } from './hostile-files.ts'
import { openUrl } from './open-url.ts'
import type { Attacker } from './start-attacker.ts'

const name = 'Grüße “🗂”.bin'
/** What a browser may show; everything else has to be saved. */
const mayBeShown = /^(text\/plain|image\/png|image\/gif|audio\/mpeg|video\/mp4|application\/pdf)(;|$)/

export type Stored = HostileFile & { record: FileRecord }

/** A public file of each. */
export async function storeHostile(client: ApiClient, files: HostileFile[]): Promise<Stored[]> {
  const { id: vaultId } = await createVault(client, 'public')
  const stored: Stored[] = []
  for (const file of files) stored.push({ ...file, record: await uploadFile(client, { vaultId, name, ...file }) })
  return stored
}

/** Follows a link to the file: it is saved under its name, or shown where no program can run. */
export async function follow(page: Page, url: string, { mimeType }: Stored) {
  const download = await openUrl(page, url)
  if (download !== null) return expect(download.suggestedFilename(), mimeType).toBe(name)
  expect(mimeType).toMatch(mayBeShown)
  expect(await page.title(), mimeType).not.toBe('ran')
  if (new URL(page.url()).pathname.startsWith('/api/')) await expectNoOrigin(page, mimeType)
}

/** The page shown has an origin of its own, so it shares nothing with the API's. */
async function expectNoOrigin(page: Page, mimeType: string) {
  const attempt = (expression: string) =>
    page.evaluate<string>(expression).catch((error: Error) => /SecurityError/.exec(error.message)?.[0] ?? error.message)
  const seen = [await attempt('self.origin'), await attempt('localStorage.length'), await attempt('document.cookie')]
  expect(seen, mimeType).toEqual(['null', 'SecurityError', 'SecurityError'])
}

/** Puts the file into another site's page in every way there is, and tries to make it a worker. */
export async function embed(browsing: BrowserContext, attacker: Attacker, url: string) {
  const page = await browsing.newPage()
  const elements = ['<iframe src="URL">', '<embed src="URL">', '<img src="URL">', '<script src="URL"></script>']
  const html = [...elements, '<object data="URL"></object>', '<link rel="stylesheet" href="URL">'].join('\n')
  await page.goto(attacker.host('text/html', `<!doctype html><body>${html.replaceAll('URL', url)}`))
  const register = `navigator.serviceWorker.register(${JSON.stringify(url)}).then(() => 'registered', ({ name }) => name)`
  expect(await page.evaluate(register)).toBe('SecurityError')
  await page.close()
}

/** Everything that ran outside the other site's own pages, once something that is known to run has told so. */
export async function ranElsewhere(browsing: BrowserContext, attacker: Attacker): Promise<string[]> {
  const control = `control ${crypto.randomUUID()}`
  const page = await browsing.newPage()
  await page.goto(attacker.host('text/html', `<script>${attacker.program(control)}</script>`))
  await waitFor(() => attacker.ran().includes(`${control}@${attacker.origin}`), { what: control })
  return attacker.ran().filter((what) => !what.endsWith(`@${attacker.origin}`))
}
