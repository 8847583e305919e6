import { AbortMultipartUploadCommand, ListMultipartUploadsCommand, UploadPartCommand } from '@aws-sdk/client-s3'
import { startReceiver } from '@tideport/testing/receiver'
import { expect, test } from 'vitest'
import { createVault } from './support/account.ts'
import { rawRequest } from './support/raw-request.ts'
import { readByEveryRoute, withDownloadUrl } from './support/reading.ts'
import type { ErrorBody } from './support/resources.ts'
import { freshAccount, pageOrigin, sharedStack } from './support/shared-stack.ts'
import { hotCopies, networkCopies, openHotTier } from './support/stored-copies.ts'
import { confirm, putBytes, readFile, requestUpload, uniqueBytes, untilStatus } from './support/uploads.ts'
import { createWebhook, eventsOf, untilEvents } from './support/webhook-events.ts'

async function startUpload(bytes = uniqueBytes(), mimeType = 'application/octet-stream') {
  const client = freshAccount()
  const vault = await createVault(client, 'public')
  return { client, vault, bytes, upload: await requestUpload(client, { vaultId: vault.id, bytes, mimeType }) }
}

test.concurrent('an upload URL leads straight to object storage, past the API, and takes no API credentials', async () => {
  const { client, bytes, upload } = await startUpload(undefined, 'text/plain')
  expect(new URL(upload.uploadUrl).origin).toBe(sharedStack().s3.endpoint)
  expect(new URL(upload.uploadUrl).origin).not.toBe(client.baseUrl)
  expect(upload).toMatchObject({ method: 'PUT', headers: { 'Content-Type': 'text/plain' } })
  expect(await putBytes(upload, bytes)).toBe(200)
})

test.concurrent('a page of an allowed origin may PUT to an upload URL, and read what it and downloads are answered', async () => {
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

test.concurrent('a PUT replayed with other bytes at hot, synced and cold changes nothing', async () => {
  const { client, bytes, upload } = await startUpload()
  await putBytes(upload, bytes)
  await confirm(client, upload.fileId)
  for (const status of ['hot', 'synced', 'cold'] as const) {
    if (status !== 'hot') await untilStatus(client, upload.fileId, status)
    await putBytes(upload, uniqueBytes(bytes.length))
    const read = await readByEveryRoute(client, await readFile(client, upload.fileId))
    for (const [route, content] of Object.entries(read)) expect(content, `${route} at ${status}`).toEqual(bytes)
  }
})

test.concurrent('the store refuses bytes of another length or type, and a URL that was tampered with', async () => {
  const { client, bytes, upload } = await startUpload(uniqueBytes(1000), 'image/png')
  const signature = /(?<=X-Amz-Signature=)./
  const other = await requestUpload(client, { vaultId: (await createVault(client, 'public')).id, bytes })
  const moved = new URL(upload.uploadUrl)
  moved.pathname = new URL(other.uploadUrl).pathname
  const attempts = {
    longer: await putBytes(upload, uniqueBytes(1001)),
    shorter: await putBytes(upload, uniqueBytes(999)),
    empty: await putBytes(upload, Buffer.alloc(0)),
    otherType: await putBytes(upload, bytes, { 'Content-Type': 'text/html' }),
    otherSignature: await putBytes(
      { ...upload, uploadUrl: upload.uploadUrl.replace(signature, (digit) => (digit === '0' ? '1' : '0')) },
      bytes,
    ),
    otherObject: await putBytes({ ...upload, uploadUrl: moved.href }, bytes),
    noSignature: await putBytes({ ...upload, uploadUrl: upload.uploadUrl.replace(/\?.*/, '') }, bytes),
  }
  for (const [what, status] of Object.entries(attempts)) expect([400, 403], `${what}: ${status}`).toContain(status)
  expect((await confirm(client, upload.fileId)).body).toMatchObject({ code: 'upload_incomplete' })
  expect(await putBytes(upload, bytes)).toBe(200)
  expect((await confirm(client, upload.fileId)).status).toBe(200)
})

test.concurrent('confirm before the bytes are there is 409 and changes nothing', async () => {
  const { client, bytes, upload } = await startUpload()
  const early = await client.post<ErrorBody>(`/api/files/${upload.fileId}/confirm`)
  expect([early.status, early.body.code]).toEqual([409, 'upload_incomplete'])
  expect(await readFile(client, upload.fileId)).toMatchObject({ status: 'uploading' })
  const download = await client.get<ErrorBody>(`/api/files/${upload.fileId}/download`)
  expect([download.status, download.body.code]).toEqual([409, 'not_downloadable'])
  await putBytes(upload, bytes)
  expect((await confirm(client, upload.fileId)).body).toMatchObject({ status: 'hot' })
})

test.concurrent('bytes of another size that got past the store are 409 at confirm', async () => {
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

test.concurrent('50 parallel confirms over two gateways make one event and one copy in the network', async () => {
  const { client, bytes, upload } = await startUpload()
  await using receiver = await startReceiver()
  await createWebhook(client, receiver, ['file.hot', 'file.synced', 'file.cold'])
  await putBytes(upload, bytes)
  const gateways = sharedStack().gatewayUrls
  const confirmAt = async (gateway: string) => {
    const url = `${gateway}/api/files/${upload.fileId}/confirm`
    const { status } = await fetch(url, { method: 'POST', headers: client.identity })
    return status
  }
  const statuses = await Promise.all(Array.from({ length: 50 }, (_, index) => confirmAt(gateways[index % 2] as string)))
  expect(new Set(statuses)).toEqual(new Set([200]))
  await untilStatus(client, upload.fileId, 'cold')
  await untilEvents(receiver, 'file.hot', 'file.synced', 'file.cold')
  expect(
    eventsOf(receiver)
      .map(({ event }) => event)
      .toSorted(),
  ).toEqual(['file.cold', 'file.hot', 'file.synced'])
  expect(await networkCopies(sharedStack(), upload.fileId)).toHaveLength(1)
})

test.concurrent('a confirm repeated at hot, synced and cold answers 200 with the file as it is and has no effect', async () => {
  const { client, bytes, upload } = await startUpload()
  await using receiver = await startReceiver()
  await createWebhook(client, receiver, ['file.hot', 'file.cold'])
  await putBytes(upload, bytes)
  await confirm(client, upload.fileId)
  const atOnce = await confirm(client, upload.fileId)
  expect([atOnce.status, ['hot', 'synced'].includes(atOnce.body.status)]).toEqual([200, true])
  for (const status of ['synced', 'cold'] as const) {
    await untilStatus(client, upload.fileId, status)
    const again = await confirm(client, upload.fileId)
    expect([again.status, again.body.status]).toEqual([200, status])
  }
  await untilEvents(receiver, 'file.hot', 'file.cold')
  expect(eventsOf(receiver)).toHaveLength(2)
  expect(await hotCopies(sharedStack(), upload.fileId)).toEqual([])
})

test.concurrent('until it is confirmed an upload can be sent anew, and the last bytes count', async () => {
  const { client, bytes, upload } = await startUpload()
  await putBytes(upload, uniqueBytes(bytes.length))
  expect(await putBytes(upload, bytes)).toBe(200)
  const { body } = await confirm(client, upload.fileId)
  expect((await readByEveryRoute(client, body)).byId).toEqual(bytes)
})

test.concurrent('confirm takes no body, and does not mind a content type or an empty one', async () => {
  const { client, bytes, upload } = await startUpload()
  await putBytes(upload, bytes)
  const target = `/api/files/${upload.fileId}/confirm`
  for (const type of ['application/json', 'text/plain', 'application/x-www-form-urlencoded']) {
    const headers = { ...client.identity, 'Content-Type': type, 'Content-Length': '0' }
    expect((await rawRequest(client.baseUrl, { method: 'POST', target, headers })).status, type).toBe(200)
  }
})
