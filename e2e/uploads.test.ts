import { createHash } from 'node:crypto'
import { finished } from 'node:stream/promises'
import { AbortMultipartUploadCommand, ListMultipartUploadsCommand, UploadPartCommand } from '@aws-sdk/client-s3'
import busboy from 'busboy'
import { expect, test } from 'vitest'
import { createVault } from './support/account.ts'
import { naughtyNames } from './support/naughty-names.ts'
import { downloadBytes, fetchBytes, publicFileUrl, readByEveryRoute, withDownloadUrl } from './support/reading.ts'
import type { ErrorBody, FileRecord } from './support/resources.ts'
import { freshAccount, pageOrigin, sharedStack } from './support/shared-stack.ts'
import { openHotTier } from './support/stored-copies.ts'
import { confirm, putBytes, readFile, requestUpload, uniqueBytes, untilStatus, uploadFile } from './support/uploads.ts'

async function startUpload(bytes = uniqueBytes(), mimeType = 'application/octet-stream') {
  const client = freshAccount()
  const { id: vaultId } = await createVault(client, 'public')
  return { client, bytes, upload: await requestUpload(client, { vaultId, bytes, mimeType }) }
}

test.concurrent('an upload URL goes directly to object storage and needs no API credentials', async () => {
  const { client, bytes, upload } = await startUpload(undefined, 'text/plain')
  expect(new URL(upload.uploadUrl).origin).toBe(sharedStack().s3.endpoint)
  expect(new URL(upload.uploadUrl).origin).not.toBe(client.baseUrl)
  expect(upload).toMatchObject({ method: 'PUT', headers: { 'Content-Type': 'text/plain' } })
  expect(await putBytes(upload, bytes)).toBe(200)
})

test.concurrent('a page of an allowed origin can PUT to an upload URL, and read its response and downloads', async () => {
  const { client, bytes, upload } = await startUpload()
  const asked = { 'Access-Control-Request-Method': 'PUT', 'Access-Control-Request-Headers': 'content-type' }
  const preflight = (Origin: string) => fetch(upload.uploadUrl, { method: 'OPTIONS', headers: { Origin, ...asked } })
  const { status, headers } = await preflight(pageOrigin)
  expect([status, headers.get('access-control-allow-origin')]).toEqual([200, pageOrigin])
  expect(headers.get('access-control-allow-methods')).toContain('PUT')
  expect(headers.get('access-control-allow-headers')).toMatch(/content-type|\*/i)
  expect((await preflight('https://other.example')).headers.get('access-control-allow-origin')).toBeNull()

  const expectReadable = (answer: Response, exposed: RegExp) => {
    expect([answer.status, answer.headers.get('access-control-allow-origin')]).toEqual([200, pageOrigin])
    expect(answer.headers.get('access-control-expose-headers')).toMatch(exposed)
  }
  const put = { method: 'PUT', headers: { ...upload.headers, Origin: pageOrigin }, body: new Uint8Array(bytes) }
  expectReadable(await fetch(upload.uploadUrl, put), /\bETag\b/i)
  await confirm(client, upload.fileId)
  await withDownloadUrl(client, upload.fileId, async (url) => {
    expectReadable(await fetch(url, { headers: { Origin: pageOrigin } }), /\bContent-Disposition\b/i)
  })
})

test.concurrent('confirm returns 409 if the store accepted bytes of another size', async () => {
  const { client, upload } = await startUpload()
  const stack = sharedStack()
  using _ = { [Symbol.dispose]: () => store.destroy() }
  const store = openHotTier(stack)
  const Bucket = stack.s3.bucket
  const { Uploads } = await store.send(new ListMultipartUploadsCommand({ Bucket, Prefix: `hot/${upload.fileId}/` }))
  const { Key, UploadId } = Uploads?.[0] ?? {}
  await store.send(new UploadPartCommand({ Bucket, Key, UploadId, PartNumber: 1, Body: 'too short' }))
  const mismatch = await client.post<ErrorBody>(`/api/files/${upload.fileId}/confirm`)
  expect([mismatch.status, mismatch.body.code]).toEqual([409, 'upload_mismatch'])
  expect(await readFile(client, upload.fileId)).toMatchObject({ status: 'uploading' })
  await store.send(new AbortMultipartUploadCommand({ Bucket, Key, UploadId }))
})

test.each<[string, unknown[], string?]>([
  ['name', [undefined, null, '', 7, 'a/b', 'a\\b', 'a\nb', 'a\u0000']],
  ['name', ['x'.repeat(256), `${'🗂'.repeat(255)}x`], 'path_too_long'],
  ['mimeType', [undefined, '', 'text', 'text/', '/plain', 'text/plain\r\nX-Evil: 1', 'text/plain; charset', 7]],
  ['sizeBytes', [undefined, null, -1, 1.5, '10', 2 ** 53 + 2, true]],
  ['checksumSha256', ['', 'abc', 'g'.repeat(64), 7]],
])('an upload with an invalid %s returns 400', async (field, values, code = 'validation_failed') => {
  const client = freshAccount()
  const fields = { name: 'a', mimeType: 'text/plain', sizeBytes: 1, vaultId: (await createVault(client, 'public')).id }
  for (const value of values) {
    const { status, body } = await client.post<ErrorBody>('/api/files/upload', { ...fields, [field]: value })
    expect([status, body.code], JSON.stringify(value)).toEqual([400, code])
  }
  expect((await client.get<{ files: [] }>('/api/files')).body.files).toEqual([])
})

test.concurrent('one call uploads a file, which reaches every state with the predicted blob ID', async () => {
  const [client, bytes] = [freshAccount(), uniqueBytes()]
  const vault = await createVault(client, 'public')
  const digest = createHash('sha256').update(bytes)
  const headers = { ...client.identity, 'content-digest': `sha-256=:${digest.copy().digest('base64')}:` }
  const url = `${client.baseUrl}/api/vaults/${vault.id}/content/report.bin`
  const answer = await fetch(url, { method: 'PUT', body: new Uint8Array(bytes), headers })
  const file = (await answer.json()) as FileRecord & { expectedBlobId: string }
  expect([answer.status, file]).toMatchObject([201, { status: 'hot', checksumSha256: digest.digest('hex') }])
  expect(await readByEveryRoute(client, file)).toEqual({ download: bytes, byId: bytes })
  const cold = await untilStatus(client, file.id, 'cold')
  expect(cold.storageNetworkBlobId).toBe(file.expectedBlobId)
  expect(await readByEveryRoute(client, cold)).toEqual({ download: bytes, byId: bytes, byBlob: bytes })
})

test.concurrent('names of every kind are stored and returned as sent, in composed form, and in valid headers', async () => {
  const client = freshAccount()
  const { id: vaultId } = await createVault(client, 'public')
  const check = async (sent: string) => {
    const name = sent.normalize('NFC')
    const { id } = await uploadFile(client, { vaultId, bytes: uniqueBytes(3), name: sent, mimeType: 'text/plain' })
    expect((await readFile(client, id)).name).toBe(name)
    for (const { status, headers } of [await fetchBytes(publicFileUrl(client, id)), await downloadBytes(client, id)]) {
      const disposition = headers.get('content-disposition') ?? ''
      expect(disposition, name).toMatch(/^inline; [\x20-\x7e]+$/)
      expect([status, await readDisposition(disposition)], name).toEqual([200, { type: 'inline', name }])
    }
  }
  // Eight at a time, because the service limits concurrent uploads and downloads per address.
  for (let at = 0; at < naughtyNames.length; at += 8) await Promise.all(naughtyNames.slice(at, at + 8).map(check))
})

/**
 * The type and file name of a `Content-Disposition`, read by an independent parser. The parser is for multipart forms,
 * where each part has this header.
 */
async function readDisposition(header: string): Promise<{ type: string; name: string | undefined }> {
  const type = /^[a-z]+/.exec(header)?.[0] ?? ''
  const form = busboy({ headers: { 'content-type': 'multipart/form-data; boundary=next' }, preservePath: true })
  let name: string | undefined
  form.on('file', (_field, content, info) => {
    name = info.filename
    content.resume()
  })
  const part = `Content-Disposition: form-data; name=file${header.slice(type.length)}`
  form.end(`--next\r\n${part}\r\n\r\n\r\n--next--\r\n`)
  await finished(form)
  return { type, name }
}
