import { beforeAll, expect, test } from 'vitest'
import { createVault } from './support/account.ts'
import type { ApiClient } from './support/api-client.ts'
import {
  type Bytes,
  downloadBytes,
  fetchBytes,
  publicBlobUrl,
  publicFileUrl,
  withDownloadUrl,
} from './support/reading.ts'
import type { Download, FileRecord } from './support/resources.ts'
import { freshAccount } from './support/shared-stack.ts'
import { uniqueBytes, untilStatus, uploadFile } from './support/uploads.ts'

const bytes = uniqueBytes(300_000)
let client: ApiClient
let cold: FileRecord

beforeAll(async () => {
  client = freshAccount()
  const { id: vaultId } = await createVault(client, 'public')
  const { id } = await uploadFile(client, { vaultId, bytes, name: 'plan.txt', mimeType: 'text/plain; charset=utf-8' })
  cold = await untilStatus(client, id, 'cold')
})

type Ask = (headers?: Record<string, string>, method?: string) => Promise<Bytes>

/** Where the same bytes can be read, and how. */
async function places(): Promise<Record<string, Ask>> {
  const { id: vaultId } = await createVault(client, 'public')
  const hot = await uploadFile(client, { vaultId, bytes, mimeType: 'text/plain; charset=utf-8' })
  return {
    'a hot file': (...how) => fetchBytes(publicFileUrl(client, hot.id), ...how),
    'a cold file': (...how) => fetchBytes(publicFileUrl(client, cold.id), ...how),
    'a blob': (...how) => fetchBytes(publicBlobUrl(client, cold.storageNetworkBlobId as string), ...how),
    'a signed download': (...how) => downloadBytes(client, cold.id, ...how),
  }
}

const ranges: [string, number, number, number][] = [
  ['bytes=0-0', 206, 0, 0],
  ['bytes=100-199999', 206, 100, 199_999],
  ['bytes=262144-', 206, 262_144, 299_999],
  ['bytes=-5', 206, 299_995, 299_999],
  ['bytes=-999999', 206, 0, 299_999],
  ['bytes=299999-400000', 206, 299_999, 299_999],
  ['bytes=300000-', 416, 0, -1],
  ['bytes=-0', 416, 0, -1],
  ['bytes=0-1,5-6', 200, 0, 299_999],
  ['bytes=5-1', 200, 0, 299_999],
  ['lines=1-2', 200, 0, 299_999],
]

test('ranges give the same answer wherever the bytes are', async () => {
  for (const [place, ask] of Object.entries(await places())) {
    for (const [range, status, first, last] of ranges) {
      const answer = await ask({ Range: range })
      expect(answer.status, `${range} of ${place}`).toBe(status)
      if (status === 416) expect(answer.headers.get('content-range')).toBe('bytes */300000')
      else expect(answer.bytes.equals(bytes.subarray(first, last + 1)), `${range} of ${place}`).toBe(true)
      if (status === 206) expect(answer.headers.get('content-range')).toBe(`bytes ${first}-${last}/300000`)
    }
  }
})

test('HEAD answers the headers of GET without the body', async () => {
  for (const [place, ask] of Object.entries(await places())) {
    const [get, head] = [await ask(), await ask({}, 'HEAD')]
    expect([head.status, head.bytes.length], place).toEqual([200, 0])
    for (const name of ['content-type', 'content-length', 'etag', 'accept-ranges', 'last-modified', 'cache-control']) {
      expect([name, head.headers.get(name)], place).toEqual([name, get.headers.get(name)])
    }
    expect(get.headers.get('content-length'), place).toBe('300000')
    expect(get.headers.get('accept-ranges'), place).toBe('bytes')
  }
})

test('conditional requests are answered by a strong ETag', async () => {
  for (const [place, ask] of Object.entries(await places())) {
    const { headers } = await ask()
    const [etag, lastModified] = [headers.get('etag') as string, headers.get('last-modified') as string]
    expect(etag, place).toMatch(/^"[^"]+"$/)
    for (const known of [etag, `"other", ${etag}`, '*', `W/${etag}`]) {
      const unchanged = await ask({ 'If-None-Match': known })
      expect([unchanged.status, unchanged.bytes.length, unchanged.headers.get('etag')], place).toEqual([304, 0, etag])
    }
    expect((await ask({ 'If-None-Match': '"other"' })).status, place).toBe(200)
    const Range = 'bytes=0-9'
    expect((await ask({ Range, 'If-Range': etag })).status, place).toBe(206)
    expect((await ask({ Range, 'If-Range': lastModified })).status, place).toBe(206)
    expect((await ask({ Range, 'If-Range': '"other"' })).status, place).toBe(200)
  }
})

test('a public answer tells the record’s type and lets nothing in it run', async () => {
  const { headers } = await fetchBytes(publicFileUrl(client, cold.id))
  expect(Object.fromEntries(headers)).toMatchObject({
    'content-type': 'text/plain; charset=utf-8',
    'content-disposition': expect.stringMatching(/^inline; filename="?plan\.txt/),
    'x-content-type-options': 'nosniff',
    'content-security-policy': "default-src 'none'; sandbox",
    'cross-origin-resource-policy': 'cross-origin',
    'cache-control': 'public, max-age=60',
  })
})

test.each([
  'text/html',
  'image/svg+xml',
  'application/xhtml+xml',
  'text/xml',
  'application/javascript',
  'text/html; x="image/png"',
])('%s is never shown inline', async (mimeType) => {
  const { id: vaultId } = await createVault(client, 'public')
  const { id } = await uploadFile(client, { vaultId, bytes: Buffer.from('<script>alert(1)</script>'), mimeType })
  const { headers } = await fetchBytes(publicFileUrl(client, id))
  expect(headers.get('content-disposition')).toMatch(/^attachment/)
  expect(headers.get('content-security-policy')).toContain('sandbox')
})

test('a signed download URL works only as it was issued: not for another file, signature or time, and not once expired', async () => {
  const { id: vaultId } = await createVault(client, 'public')
  const other = await uploadFile(client, { vaultId, bytes: uniqueBytes() })
  const { body } = await client.get<Download>(`/api/files/${cold.id}/download`)
  const change = (name: string, value: string) => {
    const url = new URL(body.downloadUrl)
    url.searchParams.set(name, value)
    return url.href
  }
  const signature = new URL(body.downloadUrl).searchParams.get('signature') as string
  const altered = [
    change('expires', '99999999999'),
    change(
      'signature',
      signature.replace(/^./, (first) => (first === 'A' ? 'B' : 'A')),
    ),
    body.downloadUrl.replace(cold.id, other.id),
  ]
  for (const url of altered) expect((await fetchBytes(url)).status, url).toBe(404)
  for (const id of [cold.id, cold.id.toUpperCase()]) {
    await withDownloadUrl(client, cold.id, async (url) => {
      expect((await fetchBytes(url.replace(cold.id, id))).status, id).toBe(200)
    })
  }
  await expect.poll(async () => (await fetchBytes(body.downloadUrl)).status).toBe(404)
})
