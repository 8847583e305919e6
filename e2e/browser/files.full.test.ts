import { afterAll, beforeAll, expect } from 'vitest'
import { newAccount } from '../support/account.ts'
import { browserTest } from '../support/browser/browser-test.ts'
import { hostileFiles } from '../support/browser/hostile-files.ts'
import { openUrl } from '../support/browser/open-url.ts'
import { expectNames, storeNaughtyNames } from '../support/browser/saved-names.ts'
import { startAttacker } from '../support/browser/start-attacker.ts'
import { embed, follow, ranElsewhere, storeHostile } from '../support/browser/visit.ts'
import { downloadUrl, publicBlobUrl, publicFileUrl, withDownloadUrl } from '../support/reading.ts'
import { freshAccount } from '../support/shared-stack.ts'
import { startTestStack } from '../support/start-test-stack.ts'
import { untilStatus } from '../support/uploads.ts'

/** Where public files come from the object storage; on the shared system they are streamed. */
let stack: Awaited<ReturnType<typeof startTestStack>>

beforeAll(async () => {
  // Nothing waits for the end of a URL, and a browser may take its time to open one.
  const life = { HOT_RETENTION_SECONDS: '3600', DOWNLOAD_URL_SECONDS: '600' }
  stack = await startTestStack({ env: { PUBLIC_READS: 'redirect', ...life } })
})

afterAll(() => stack?.[Symbol.asyncDispose]())

browserTest.concurrent(
  'the hostile files of these tests do run where they are served without our headers',
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
  'no file runs a program when it is streamed from the network, whatever its type and wherever it is put',
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

browserTest.concurrent('a file that is streamed is saved under exactly its name', async ({ browsing }) => {
  const client = freshAccount()
  await expectNames(browsing, await storeNaughtyNames(client), async (file, save) => {
    await untilStatus(client, file.id, 'cold')
    await withDownloadUrl(client, file.id, save)
    await save(publicFileUrl(client, file.id))
  })
})

browserTest.concurrent(
  'no file runs a program when it comes from the object storage, by redirect or by a URL of its own',
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

browserTest.concurrent(
  'a file that comes from the object storage is saved under exactly its name',
  async ({ browsing }) => {
    const client = newAccount(stack.describe().gatewayUrls[0] as string)
    await expectNames(browsing, await storeNaughtyNames(client), async (file, save) => {
      await save(publicFileUrl(client, file.id))
      await save(await downloadUrl(client, file))
    })
  },
)
