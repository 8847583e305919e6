import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { request } from 'node:http'
import { text } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import { createVault } from './support/account.ts'
import type { ApiClient } from './support/api-client.ts'
import { readByEveryRoute } from './support/reading.ts'
import type { FileRecord } from './support/resources.ts'
import { freshAccount } from './support/shared-stack.ts'
import { putBytes, requestUpload, uniqueBytes, untilStatus } from './support/uploads.ts'

const MIB = 1024 ** 2

async function expectBytes(client: ApiClient, file: FileRecord, bytes: Buffer) {
  for (const [route, read] of Object.entries(await readByEveryRoute(client, file))) {
    expect(read.equals(bytes), route).toBe(true)
  }
}

async function start() {
  const client = freshAccount()
  const vault = await createVault(client, 'public')
  return { client, vault, url: `${client.baseUrl}/api/vaults/${vault.id}/content/report.bin` }
}

test.concurrent('one call uploads a file, which then goes through every state, under the blob id that was foretold', async () => {
  const { client, url } = await start()
  const bytes = uniqueBytes()
  const digest = createHash('sha256').update(bytes)
  const headers = { ...client.identity, 'content-digest': `sha-256=:${digest.copy().digest('base64')}:` }
  const answer = await fetch(url, { method: 'PUT', body: new Uint8Array(bytes), headers })
  const file = (await answer.json()) as FileRecord & { expectedBlobId: string; checksumSha256: string }
  expect([answer.status, file]).toMatchObject([201, { status: 'hot', checksumSha256: digest.digest('hex') }])
  await expectBytes(client, file, bytes)
  const cold = await untilStatus(client, file.id, 'cold')
  expect(cold.storageNetworkBlobId).toBe(file.expectedBlobId)
  await expectBytes(client, cold, bytes)
})

test.concurrent('with put: once the store keeps the first bytes, whatever state the file is in', async () => {
  const { client, vault } = await start()
  const bytes = uniqueBytes()
  const upload = await requestUpload(client, { vaultId: vault.id, bytes, more: { put: 'once' } })
  expect(upload.headers).toMatchObject({ 'If-None-Match': '*', 'Content-Length': String(bytes.length) })
  expect(await putBytes(upload, bytes)).toBe(200)
  expect(await putBytes(upload, uniqueBytes())).toBe(412)
  expect((await client.post<FileRecord>(`/api/files/${upload.fileId}/confirm`)).body.status).toBe('hot')
  const cold = await untilStatus(client, upload.fileId, 'cold')
  expect(await putBytes(upload, uniqueBytes())).toBe(200)
  await expectBytes(client, cold, bytes)
})

test.concurrent('bytes that are too many are 413 while they are still being sent, and the connection ends', async () => {
  const { client, url } = await start()
  for (const length of [undefined, 1024 * MIB]) {
    const put = request(url, {
      method: 'PUT',
      headers: { ...client.identity, ...(length && { 'content-length': length }) },
    })
    put.on('error', () => {})
    let isAnswered = false
    const answered = once(put, 'response').then(async ([response]) => {
      isAnswered = true
      return { status: response.statusCode, connection: response.headers.connection, said: await text(response) }
    })
    for (let sent = 0; sent < 1024 * MIB && !isAnswered; sent += MIB) {
      await new Promise((resolve) => put.write(Buffer.alloc(MIB), resolve))
    }
    const { status, connection, said } = await answered
    expect([status, connection]).toEqual([413, 'close'])
    expect(said).toContain('POST /api/files/upload')
    put.destroy()
  }
  expect((await client.get<{ files: [] }>('/api/files')).body.files).toEqual([])
})
