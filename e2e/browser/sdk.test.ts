import { join } from 'node:path'
import { rolldown } from 'rolldown'
import { expect } from 'vitest'
import { createKey } from '../support/account.ts'
import { browserTest } from '../support/browser/browser-test.ts'
import { sdkAccount } from '../support/sdk/sdk-account.ts'
import { freshAccount, pageOrigin } from '../support/shared-stack.ts'

/** What a page does: it is bundled as any page's program is. */
const program = `
import { createClient, createVault, download, upload } from '@tideport/sdk'
import { createIdentity, createVaultKey, downloadPrivate, openVaultKey, sealVaultKey, uploadPrivate } from '@tideport/sdk/crypto'

globalThis.useSdk = async (baseUrl, apiKey) => {
  const client = createClient({ baseUrl, apiKey })
  const bytes = new Uint8Array(17 * 1024 ** 2)
  for (let at = 0; at < bytes.length; at += 65536) crypto.getRandomValues(bytes.subarray(at, at + 65536))
  const isSame = async (body) => {
    const read = new Uint8Array(await new Response(body).arrayBuffer())
    return read.length === bytes.length && read.every((byte, index) => byte === bytes[index])
  }
  const told = []
  const { id: vaultId } = await createVault(client, { name: 'Page', visibility: 'public' })
  const picked = new File([bytes], 'Grüße.bin', { type: 'application/octet-stream' })
  const file = await upload(client, picked, { vaultId, onProgress: ({ sentBytes }) => told.push(sentBytes) })
  const whole = await isSame((await download(client, file)).body)
  const { identity, recipient } = await createIdentity()
  const vaultKey = await openVaultKey(await sealVaultKey(createVaultKey(), { recipients: [recipient] }), { identity })
  const { id: privateVault } = await createVault(client, { name: 'Secret', visibility: 'private' })
  const secret = await uploadPrivate(client, picked, { vaultId: privateVault, vaultKey })
  const opened = await isSame((await downloadPrivate(client, secret, { vaultKey })).body)
  const part = await downloadPrivate(client, secret, { vaultKey, start: 3_000_000, end: 3_000_010 })
  return { name: file.name, whole, opened, part: (await new Response(part.body).arrayBuffer()).byteLength, last: told.at(-1), times: told.length }
}`

async function bundle(): Promise<string> {
  const virtual = {
    name: 'program',
    resolveId: (id: string) => (id === 'program' ? id : null),
    load: (id: string) => (id === 'program' ? program : null),
  }
  const built = await rolldown({
    input: 'program',
    cwd: join(import.meta.dirname, '..'),
    platform: 'browser',
    plugins: [virtual],
    logLevel: 'silent',
    resolve: { alias: alias() },
  })
  return (await built.generate({ format: 'iife' })).output[0].code
}

/** The program has no place on the disk from which packages could be found. */
const alias = () =>
  Object.fromEntries(
    ['@tideport/sdk/crypto', '@tideport/sdk'].map((name) => [name, new URL(import.meta.resolve(name)).pathname]),
  )

browserTest('a page uploads in parts with progress, and reads a private file back', async ({ browsing }) => {
  const { client } = await sdkAccount()
  const { key } = await createKey(freshAccount())
  const script = await bundle()
  const page = await browsing.newPage()
  await browsing.grantPermissions(['local-network-access'], { origin: pageOrigin }).catch(() => {})
  await page.route(`${pageOrigin}/**`, (route) =>
    route.fulfill({ contentType: 'text/html', body: '<!doctype html><title>app</title>' }),
  )
  await page.goto(`${pageOrigin}/`)
  await page.addScriptTag({ content: script })
  const done = await page.evaluate(`useSdk(${JSON.stringify(client.baseUrl)}, ${JSON.stringify(key)})`)
  expect(done).toMatchObject({ name: 'Grüße.bin', whole: true, opened: true, part: 10, last: 17 * 1024 ** 2 })
  // For each part at least; a browser tells more often only of what takes its time.
  expect((done as { times: number }).times).toBeGreaterThanOrEqual(3)
})
