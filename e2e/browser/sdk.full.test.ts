import { createServer, type RequestListener } from 'node:http'
import { join } from 'node:path'
import { closeAtOnce, listenOnLoopback } from '@tideport/testing/loopback-server'
import type { BrowserContext, Page } from 'playwright-core'
import { rolldown } from 'rolldown'
import { expect } from 'vitest'
import { createKey } from '../support/account.ts'
import { browserTest } from '../support/browser/browser-test.ts'
import { sdkAccount } from '../support/sdk/sdk-account.ts'
import { freshAccount, pageOrigin } from '../support/shared-stack.ts'

/** The program of a page, bundled like a regular page. */
const program = `
import { createClient, createVault, download, publicFileBytes, readFile, upload } from '@tideport/sdk'
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
  const range = await publicFileBytes(client, { fileId: file.id }, { headers: { range: 'bytes=100-199' } })
  const piece = new Uint8Array(await (await download(client, file, { start: 100, end: 200 })).body.getReader().read().then(({ value }) => value))
  const missing = await readFile(client, { fileId: crypto.randomUUID() }).catch((error) => error)
  return { range: [range.status, (await range.arrayBuffer()).byteLength, range.headers.get('content-range')],
    piece: piece.every((byte, index) => byte === bytes[100 + index]), missing: [missing.name, missing.requestId?.length > 0], name: file.name, whole, opened, part: (await new Response(part.body).arrayBuffer()).byteLength, last: told.at(-1), times: told.length }
}`

/** A page that is reloaded during an upload. It keeps only the token. */
const reloading = `
import { createClient, createVault, download, listUploadedParts, upload } from '@tideport/sdk'

const bytes = new Uint8Array(21 * 1024 ** 2).map((_, index) => index * 7919 >> 5)
const picked = new File([bytes], 'film.bin', { lastModified: 1_700_000_000_000 })
const options = { parallel: 1, partSizeBytes: 5 * 1024 ** 2 }

globalThis.begin = async (baseUrl, apiKey) => {
  const client = createClient({ baseUrl, apiKey })
  const { id: vaultId } = await createVault(client, { name: 'Reload', visibility: 'public' })
  const onToken = (token) => localStorage.setItem('upload', JSON.stringify({ token, vaultId }))
  const onProgress = ({ sentBytes }) => { if (sentBytes > 7 * 1024 ** 2) globalThis.isUnderWay = true }
  await upload(client, picked, { ...options, vaultId, onToken, onProgress })
}
globalThis.goOn = async (baseUrl, apiKey) => {
  const client = createClient({ baseUrl, apiKey })
  const { token: resume, vaultId } = JSON.parse(localStorage.getItem('upload'))
  const told = []
  const file = await upload(client, picked, { ...options, vaultId, resume, onProgress: ({ sentBytes }) => told.push(sentBytes) })
  const read = new Uint8Array(await new Response((await download(client, file)).body).arrayBuffer())
  return { first: told[0], last: told.at(-1), times: told.length, same: read.every((byte, index) => byte === bytes[index]) }
}`

/** Errors of the SDK for a service and a storage that CORS blocks. */
const refused = `
import { createClient, createVault, download, upload } from '@tideport/sdk'

const sentence = (work) => work.then(() => 'done', (error) => error.name + ': ' + error.message)
globalThis.callRefused = async (refusing, closed, service) => {
  const clientOf = (baseUrl) => createClient({ baseUrl, apiKey: 'tdp_x', attempts: 1 })
  const vault = { name: 'v', visibility: 'public' }
  const record = { id: 'f', sizeBytes: 4, checksumSha256: null }
  return {
    refused: await sentence(createVault(clientOf(refusing), vault)),
    closed: await sentence(createVault(clientOf(closed), vault)),
    upload: await sentence(upload(clientOf(service), new Blob(['text']), { vaultId: 'v', name: 'a', partSizeBytes: 5 * 1024 ** 2 })),
    download: await sentence(download(clientOf(service), record).then(({ body }) => body.getReader().read())),
  }
}`

async function bundle(program: string): Promise<string> {
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
  return (await built.generate({ format: 'iife', codeSplitting: false })).output[0].code
}

/** The program is not on disk, so packages are resolved from here. */
const alias = () =>
  Object.fromEntries(
    ['@tideport/sdk/crypto', '@tideport/sdk'].map((name) => [name, new URL(import.meta.resolve(name)).pathname]),
  )

/** A page of another origin than the service and its storage. */
async function openPage(browsing: BrowserContext, program: string): Promise<Page> {
  const script = await bundle(program)
  const page = await browsing.newPage()
  await browsing.grantPermissions(['local-network-access'], { origin: pageOrigin }).catch(() => {})
  await page.route(`${pageOrigin}/**`, (route) =>
    route.fulfill({
      contentType: 'text/html; charset=utf-8',
      body: `<!doctype html><title>app</title><script>${script}</script>`,
    }),
  )
  await page.goto(`${pageOrigin}/`)
  return page
}

async function given(): Promise<string> {
  const { client } = await sdkAccount()
  const { key } = await createKey(freshAccount())
  return `${JSON.stringify(client.baseUrl)}, ${JSON.stringify(key)}`
}

browserTest('a page uploads in parts with progress, and reads a private file back', async ({ browsing }) => {
  const page = await openPage(browsing, program)
  const done = await page.evaluate(`useSdk(${await given()})`)
  expect(done).toMatchObject({ name: 'Grüße.bin', whole: true, opened: true, part: 10, last: 17 * 1024 ** 2 })
  expect(done).toMatchObject({
    range: [206, 100, expect.stringMatching(/^bytes 100-199\/|^$/)],
    piece: true,
    missing: ['NotFoundError', true],
  })
  // At least once for each part. A browser reports more often only for slow parts.
  expect((done as { times: number }).times).toBeGreaterThanOrEqual(3)
})

browserTest('a reloaded page resumes its upload and receives the progress', async ({ browsing }) => {
  const page = await openPage(browsing, reloading)
  const account = await given()
  const network = await browsing.newCDPSession(page)
  await network.send('Network.enable')
  // Slows down each part.
  const slow = { offline: false, latency: 0, downloadThroughput: -1, uploadThroughput: 3 * 1024 ** 2 }
  await network.send('Network.emulateNetworkConditions', slow)
  await page.evaluate(`void begin(${account}).catch(() => {})`)
  await page.waitForFunction('globalThis.isUnderWay')
  await page.reload()
  const done = (await page.evaluate(`goOn(${account})`)) as {
    first: number
    last: number
    times: number
    same: boolean
  }
  expect(done).toMatchObject({ last: 21 * 1024 ** 2, same: true })
  // Stored parts are not sent again, and progress is reported within each part.
  expect(done.first).toBeGreaterThanOrEqual(5 * 1024 ** 2)
  expect(done.times).toBeGreaterThan(8)
})

browserTest('a page learns that CORS of the service or the storage blocks it', async ({ browsing }) => {
  await using stack = new AsyncDisposableStack()
  const listen = async (answer: RequestListener) => {
    const server = createServer(answer)
    stack.defer(() => closeAtOnce(server))
    return `http://127.0.0.1:${await listenOnLoopback(server)}`
  }
  const gone = createServer()
  const closed = `http://127.0.0.1:${await listenOnLoopback(gone)}`
  await closeAtOnce(gone)
  const refusing = await listen((_request, response) => response.writeHead(403).end())
  const uploadUrl = `${refusing}/put?secret`
  const signed = { expiresAt: '9999-01-01T00:00:00Z', headers: {}, uploadUrl, parts: [{ partNumber: 1, uploadUrl }] }
  const answer = { ...signed, fileId: 'f', downloadUrl: `${refusing}/get?secret` }
  const allowed = { 'access-control-allow-origin': pageOrigin, 'access-control-allow-headers': '*, authorization' }
  const service = await listen((_request, response) => {
    response.writeHead(200, { ...allowed, 'access-control-allow-methods': '*' }).end(JSON.stringify(answer))
  })
  const page = await openPage(browsing, refused)
  const told = await page.evaluate(`callRefused(${[refusing, closed, service].map((url) => JSON.stringify(url))})`)
  const blocked = `NetworkError: The browser blocked the response of ${new URL(refusing).host}: CORS does not allow ${pageOrigin}. Add this origin to`
  expect(told).toEqual({
    refused: `${blocked} CORS_ORIGINS of the service.`,
    closed: 'NetworkError: The service did not respond',
    upload: `${blocked} the CORS rule of the bucket.`,
    download: `${blocked} the CORS rule of the bucket.`,
  })
})
