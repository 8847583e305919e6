import { once } from 'node:events'
import { request } from 'node:http'
import { openHotTierListing } from '@tideport/hot-tier/listing'
import { startFrontOfStore } from '@tideport/testing/front-of-store'
import { createBucket, type TestBucket } from '@tideport/testing/s3'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Bundle, setup } from '../bundle.ts'
import { clientOf, put } from '../client.ts'

let bucket: TestBucket
let t: Bundle
beforeAll(async () => {
  bucket = await createBucket()
  t = await setup({ s3: bucket.settings })
})
afterAll(async () => {
  await t[Symbol.asyncDispose]()
  bucket.dispose()
})

async function openUpload({ bytes = 'hello', bundle = t }: { bytes?: string | Buffer; bundle?: Bundle } = {}) {
  const client = clientOf(bundle)
  const vaultId = await client.defaultVault()
  const answer = await client.requestUpload({ vaultId, sizeBytes: Buffer.byteLength(bytes), put: 'once' })
  expect(answer.status).toBe(201)
  const path = `/api/files/${answer.body.fileId}`
  return {
    ...client,
    vaultId,
    upload: answer.body,
    put: async (body = bytes) => (await put(answer.body, body)).status,
    confirm: () => client.call('POST', `${path}/confirm`),
    arrived: async () => (await client.call('GET', `${path}/parts`)).body,
    renew: () => client.call('POST', `${path}/upload-urls`, { json: { partNumbers: [1] } }),
    read: async () => (await client.call('GET', path)).body,
    remove: () => client.call('DELETE', path),
    async stored() {
      const { downloadUrl } = (await client.call('GET', `${path}/download`)).body
      return Buffer.from(await (await fetch(downloadUrl)).arrayBuffer())
    },
  }
}

describe('an upload with put: once', () => {
  it('takes one PUT with the headers of the response, without a multipart upload, and is hot after its confirm', async () => {
    const file = await openUpload()
    expect(file.upload).toMatchObject({
      method: 'PUT',
      headers: { 'Content-Type': 'image/png', 'Content-Length': '5', 'If-None-Match': '*' },
    })
    using listing = openHotTierListing(t.config)
    for await (const { fileId } of listing.uploads()) expect(fileId).not.toBe(file.upload.fileId)
    expect(await file.arrived()).toEqual({ partSizeBytes: null, partCount: 1, parts: [] })
    expect(await file.confirm()).toMatchObject({ status: 409, body: { code: 'upload_incomplete' } })
    expect(await file.put()).toBe(200)
    expect((await file.arrived()).parts).toEqual([{ partNumber: 1, sizeBytes: 5 }])
    expect((await file.read()).status).toBe('uploading')
    expect(await file.confirm()).toMatchObject({ status: 200, body: { status: 'hot', sizeBytes: 5 } })
    expect(await file.confirm()).toMatchObject({ status: 200, body: { status: 'hot' } })
    expect((await file.stored()).toString()).toBe('hello')
  })

  it('accepts only the signed headers and length, and no second PUT before or after its confirm', async () => {
    const file = await openUpload()
    const { 'If-None-Match': _, ...without } = file.upload.headers
    const other = { ...without, 'If-None-Match': '*', 'Content-Type': 'text/html' }
    for (const headers of [without, other]) expect((await put({ ...file.upload, headers }, 'hello')).status).toBe(403)
    const longer = { ...file.upload.headers, 'Content-Length': '6' }
    expect((await put({ ...file.upload, headers: longer }, 'hello!')).status).toBe(403)
    expect((await file.arrived()).parts).toEqual([])
    expect(await file.put('hello')).toBe(200)
    expect(await file.put('HELLO')).toBe(412)
    await file.confirm()
    expect(await file.put('HeLlO')).toBe(412)
    expect((await file.stored()).toString()).toBe('hello')
  })

  it('keeps the bytes of the one concurrent PUT that got 200', async () => {
    for (let round = 0; round < 20; round += 1) {
      const file = await openUpload()
      const bodies = ['aaaaa', 'bbbbb', 'ccccc', 'ddddd']
      const answers = await Promise.all(bodies.map((body) => file.put(body)))
      expect(answers.toSorted()).toEqual([200, 412, 412, 412])
      await file.confirm()
      expect((await file.stored()).toString()).toBe(bodies[answers.indexOf(200)])
    }
  })

  it('rejects a PUT that began before another PUT was confirmed, and keeps the confirmed bytes', async () => {
    const bytes = Buffer.alloc(16 * 1024 ** 2, 'x')
    const file = await openUpload({ bytes })
    const slow = request(file.upload.uploadUrl, { method: 'PUT', headers: file.upload.headers })
    const answered = once(slow, 'response').then(([answer]) => answer.resume().statusCode)
    // More bytes than the sockets buffer, so the store has begun to process the PUT.
    await new Promise((resolve) => slow.write(bytes.subarray(1).fill('y'), resolve))
    expect(await file.put(Buffer.alloc(bytes.length, 'z'))).toBe(200)
    expect((await file.confirm()).body.status).toBe('hot')
    slow.end('y')
    expect(await answered).toBe(412)
    expect((await file.stored()).equals(Buffer.alloc(bytes.length, 'z'))).toBe(true)
  })

  it('returns new URLs for the same key and for part 1 until it is confirmed', async () => {
    const client = clientOf(t)
    const vaultId = await client.defaultVault()
    const ask = () =>
      client.call('POST', '/api/files/upload', {
        json: { name: 'cat.png', mimeType: 'image/png', sizeBytes: 0, vaultId, put: 'once' },
        headers: { 'idempotency-key': 'once' },
      })
    const [first, again] = await Promise.all([ask(), ask()])
    expect(again.body.fileId).toBe(first.body.fileId)
    const path = `/api/files/${first.body.fileId}`
    const renewed = await client.call('POST', `${path}/upload-urls`, { json: { partNumbers: [1] } })
    expect(renewed.body.headers).toEqual({ 'Content-Type': 'image/png', 'Content-Length': '0', 'If-None-Match': '*' })
    const { parts, headers } = renewed.body
    expect((await put({ uploadUrl: parts[0].uploadUrl, headers }, '')).status).toBe(200)
    expect((await put(first.body, '')).status).toBe(412)
    expect((await client.call('POST', `${path}/confirm`)).body.status).toBe('hot')
    expect(await ask()).toMatchObject({ status: 409, body: { code: 'state_conflict' } })
    const late = await client.call('POST', `${path}/upload-urls`, { json: { partNumbers: [1] } })
    expect(late).toMatchObject({ status: 409, body: { code: 'state_conflict' } })
  })

  it('is not cleaned up before its URL has expired and settled', async () => {
    const file = await openUpload()
    const [row] = await t.database.sql<{ spare: number }>(
      `select extract(epoch from cleanup_after - $2::timestamptz)::float as spare from file where id = $1`,
      [file.upload.fileId, file.upload.expiresAt],
    )
    expect(Number(row?.spare)).toBeGreaterThanOrEqual(t.config.settleSeconds)
  })

  it('cannot have parts', async () => {
    const { requestUpload, vaultId } = await openUpload()
    const refused = await requestUpload({ vaultId, sizeBytes: 5, put: 'once', partSizeBytes: 5 * 1024 ** 2 })
    expect(refused).toMatchObject({ status: 400, body: { details: { issues: [{ path: 'put' }] } } })
    expect(await requestUpload({ vaultId, sizeBytes: 5, put: 'twice' })).toMatchObject({ status: 400 })
  })
})

describe('a confirm while a proxy responds instead of the store', () => {
  it('returns 503, and confirms the upload once the store lists its object', async () => {
    await using front = await startFrontOfStore(bucket.settings)
    await using bundle = await setup({ s3: front.settings })
    const file = await openUpload({ bundle })
    expect(await file.put()).toBe(200)
    const page = '<html>We will be back soon</html>'
    const sendPage = (isSent: (method: string | undefined, url: string) => boolean) =>
      front.answerBy(({ method, url = '' }, response) => {
        const isFromProxy = isSent(method, url)
        const headers = { 'content-type': 'text/html', 'content-length': page.length, etag: '"5f3c-21"' }
        if (isFromProxy) response.writeHead(200, headers).end(method === 'HEAD' ? undefined : page)
        return isFromProxy
      })
    sendPage((method) => method === 'HEAD' || method === 'GET')
    expect(await file.confirm()).toMatchObject({ status: 503, body: { code: 'unavailable' } })
    sendPage((method) => method === 'HEAD')
    expect((await file.confirm()).body.status).toBe('hot')
  })
})

describe('with a store that does not support If-None-Match for PUT', () => {
  it.each([
    ['ignores it', 200],
    ['rejects it', 501],
  ])('and %s, the response has the form of any other upload, and the upload succeeds', async (_what, status) => {
    await using front = await startFrontOfStore(bucket.settings)
    front.answerBy(({ method, url, headers }, response) => {
      const isTrial = method === 'PUT' && headers['if-none-match'] !== undefined && !url?.includes('uploadId')
      if (isTrial) response.writeHead(status).end()
      return isTrial
    })
    await using weak = await setup({ s3: front.settings })
    const file = await openUpload({ bundle: weak })
    expect(file.upload.headers).toEqual({ 'Content-Type': 'image/png' })
    expect(file.upload.uploadUrl).toContain('uploadId=')
    expect(await file.put()).toBe(200)
    expect((await file.confirm()).body.status).toBe('hot')
    expect((await file.stored()).toString()).toBe('hello')
  })

  it('the service tests the store again after a test that failed', async () => {
    await using front = await startFrontOfStore(bucket.settings)
    let isDown = true
    front.answerBy(({ method, url }, response) => {
      const fails = isDown && method === 'PUT' && url?.includes('tideport-put-once') === true
      if (fails) response.writeHead(503).end()
      return fails
    })
    await using bundle = await setup({ s3: front.settings })
    const client = clientOf(bundle)
    const vaultId = await client.defaultVault()
    const ask = () => client.requestUpload({ vaultId, sizeBytes: 5, put: 'once' })
    expect(await ask()).toMatchObject({ status: 503, body: { code: 'unavailable' } })
    isDown = false
    expect((await ask()).body.headers['If-None-Match']).toBe('*')
  })
})
