import { waitFor } from '@tideport/testing/wait-for'
import type { BrowserContext, Page } from 'playwright-core'
import { afterAll, beforeAll, expect } from 'vitest'
import { createVault, newAccount } from '../support/account.ts'
import type { ApiClient } from '../support/api-client.ts'
import { browserTest } from '../support/browser/browser-test.ts'
import { type HostileFile, hostileFiles } from '../support/browser/hostile-files.ts'
import { openUrl } from '../support/browser/open-url.ts'
import { expectNames, storeNaughtyNames } from '../support/browser/saved-names.ts'
import { type Attacker, startAttacker } from '../support/browser/start-attacker.ts'
import { downloadUrl, publicBlobUrl, publicFileUrl, withDownloadUrl } from '../support/reading.ts'
import type { FileRecord } from '../support/resources.ts'
import { freshAccount } from '../support/shared-stack.ts'
import { startTestStack } from '../support/start-test-stack.ts'
import { untilStatus, uploadFile } from '../support/uploads.ts'

/** A system that redirects public reads to the object storage. The shared system streams them. */
let stack: Awaited<ReturnType<typeof startTestStack>>

beforeAll(async () => {
  // URLs are valid for long, because a browser may be slow to open one and no test waits for their expiry.
  const life = { HOT_RETENTION_SECONDS: '3600', DOWNLOAD_URL_SECONDS: '600' }
  stack = await startTestStack({ env: { PUBLIC_READS: 'redirect', ...life } })
})

afterAll(() => stack?.[Symbol.asyncDispose]())

browserTest.concurrent(
  'the hostile files of these tests run if they are served without the service’s headers',
  async ({ browsing, expect }) => {
    await using attacker = await startAttacker()
    const page = await browsing.newPage()
    for (const { mimeType, bytes } of hostileFiles(attacker.program))
      await openUrl(page, attacker.host(mimeType, bytes))
    const dangerous = ['text/html', 'TEXT/HTML', 'text/html; x="image/png"', 'application/unknown', 'image/svg+xml']
    const expected = [...dangerous, 'application/xhtml+xml'].map((what) => `${what}@${attacker.origin}`)
    await expect.poll(attacker.ran).toEqual(expect.arrayContaining(expected))
  },
)

browserTest.concurrent(
  'no file that is streamed from the network runs code, with any type and kind of embedding',
  async ({ browsing }) => {
    await using attacker = await startAttacker()
    const page = await browsing.newPage()
    const client = freshAccount()
    const files = await storeHostile(client, hostileFiles(attacker.program))
    for (const file of files) {
      const { id, storageNetworkBlobId } = await untilStatus(client, file.record.id, 'cold')
      await follow(page, publicFileUrl(client, id), file)
      await follow(page, publicBlobUrl(client, storageNetworkBlobId as string), file)
      await withDownloadUrl(client, id, (url) => follow(page, url, file))
      await embed(browsing, attacker, publicFileUrl(client, id))
    }
    expect(await ranElsewhere(browsing, attacker)).toEqual([])
  },
)

browserTest.concurrent('a streamed file is saved under exactly its name', async ({ browsing }) => {
  const client = freshAccount()
  await expectNames(browsing, await storeNaughtyNames(client), async (file, save) => {
    await untilStatus(client, file.id, 'cold')
    await withDownloadUrl(client, file.id, save)
    await save(publicFileUrl(client, file.id))
  })
})

browserTest.concurrent(
  'no file from the object storage runs code, by redirect or presigned URL',
  async ({ browsing }) => {
    await using attacker = await startAttacker()
    const page = await browsing.newPage()
    const client = newAccount(stack.describe().gatewayUrls[0] as string)
    for (const file of await storeHostile(client, hostileFiles(attacker.program))) {
      const url = publicFileUrl(client, file.record.id)
      expect((await fetch(url, { redirect: 'manual' })).headers.get('location')).toContain(stack.describe().s3.endpoint)
      await follow(page, url, file)
      await follow(page, await downloadUrl(client, file.record), file)
      await embed(browsing, attacker, url)
    }
    expect(await ranElsewhere(browsing, attacker)).toEqual([])
  },
)

browserTest.concurrent('a file from the object storage is saved under exactly its name', async ({ browsing }) => {
  const client = newAccount(stack.describe().gatewayUrls[0] as string)
  await expectNames(browsing, await storeNaughtyNames(client), async (file, save) => {
    await save(publicFileUrl(client, file.id))
    await save(await downloadUrl(client, file))
  })
})

const name = 'Grüße “🗂”.bin'
/** Types that a browser may show. All others must be saved. */
const mayBeShown = /^(text\/plain|image\/png|image\/gif|audio\/mpeg|video\/mp4|application\/pdf)(;|$)/

type Stored = HostileFile & { record: FileRecord }

/** Stores a public file of each type. */
async function storeHostile(client: ApiClient, files: HostileFile[]): Promise<Stored[]> {
  const { id: vaultId } = await createVault(client, 'public')
  const stored: Stored[] = []
  for (const file of files) stored.push({ ...file, record: await uploadFile(client, { vaultId, name, ...file }) })
  return stored
}

/** Follows a link to the file. Fails unless the file is saved under its name, or shown without running code. */
async function follow(page: Page, url: string, { mimeType }: Stored) {
  const download = await openUrl(page, url)
  if (download !== null) return expect(download.suggestedFilename(), mimeType).toBe(name)
  expect(mimeType).toMatch(mayBeShown)
  expect(await page.title(), mimeType).not.toBe('ran')
  if (new URL(page.url()).pathname.startsWith('/api/')) await expectNoOrigin(page, mimeType)
}

/** Fails unless the shown page has an opaque origin, which shares nothing with the API's origin. */
async function expectNoOrigin(page: Page, mimeType: string) {
  const attempt = (expression: string) =>
    page.evaluate<string>(expression).catch((error: Error) => /SecurityError/.exec(error.message)?.[0] ?? error.message)
  const seen = [await attempt('self.origin'), await attempt('localStorage.length'), await attempt('document.cookie')]
  expect(seen, mimeType).toEqual(['null', 'SecurityError', 'SecurityError'])
}

/** Embeds the file into a page of another site in every way, and tries to run it as a worker. */
async function embed(browsing: BrowserContext, attacker: Attacker, url: string) {
  const page = await browsing.newPage()
  const elements = ['<iframe src="URL">', '<embed src="URL">', '<img src="URL">', '<script src="URL"></script>']
  const html = [...elements, '<object data="URL"></object>', '<link rel="stylesheet" href="URL">'].join('\n')
  await page.goto(attacker.host('text/html', `<!doctype html><body>${html.replaceAll('URL', url)}`))
  const register = `navigator.serviceWorker.register(${JSON.stringify(url)}).then(() => 'registered', ({ name }) => name)`
  expect(await page.evaluate(register)).toBe('SecurityError')
  await page.close()
}

/** All code that ran outside the other site's pages, after a control script has reported that it ran. */
async function ranElsewhere(browsing: BrowserContext, attacker: Attacker): Promise<string[]> {
  const control = `control ${crypto.randomUUID()}`
  const page = await browsing.newPage()
  await page.goto(attacker.host('text/html', `<script>${attacker.program(control)}</script>`))
  await waitFor(() => attacker.ran().includes(`${control}@${attacker.origin}`), { what: control })
  return attacker.ran().filter((what) => !what.endsWith(`@${attacker.origin}`))
}
