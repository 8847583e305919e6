import { access } from 'node:fs/promises'
import { join } from 'node:path'
import {
  AbortMultipartUploadCommand,
  DeleteBucketCommand,
  DeleteObjectCommand,
  ListMultipartUploadsCommand,
  ListObjectsV2Command,
  S3Client,
} from '@aws-sdk/client-s3'
import { waitFor } from '@tideport/testing/wait-for'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createApiClient } from '../support/api-client.ts'
import { fetchBytes, publicFileUrl, withDownloadUrl } from '../support/reading.ts'
import type { FileRecord, Status, Upload, Vault } from '../support/resources.ts'
import { putBytes, uniqueBytes } from '../support/uploads.ts'
import { type Drill, startDrill } from './support/drill.ts'
import { createPatientClient } from './support/patient-client.ts'
import { keepBackup } from './support/point-in-time.ts'
import { findProcess, signalProcess, type TestStack } from './support/processes.ts'

const parts = new AsyncDisposableStack()
let drill: Drill

beforeAll(async () => {
  drill = parts.use(await startDrill())
})

afterAll(() => parts.disposeAsync())

// Sequential, because both tests use the same system.
test('after the loss of the bucket, files with a copy stay readable and continue, files without one report it, and new uploads work', async () => {
  const files = await openFiles(drill)
  const [sync, eviction] = [findProcess(drill, 'sync'), findProcess(drill, 'eviction')]
  const cold = await files.upload()
  await files.until(cold.id, 'cold')
  signalProcess(eviction, 'SIGSTOP')
  const synced = await files.upload()
  await files.until(synced.id, 'synced')
  signalProcess(sync, 'SIGSTOP')
  const hot = await files.upload()

  await loseBucket(drill)
  await files.expectReadable(cold)
  expect(await files.statuses(hot.id, synced.id)).toEqual({ upload: 503, reads: [503, 200] })
  // A missing bucket proves nothing about single objects.
  expect((await drill.operator('reconcile', '--fix')).code).toBe(1)
  expect((await files.read(hot.id)).status).toBe('hot')

  expect(await drill.operator('set-up', 'bucket')).toMatchObject({ code: 0 })
  const { code, rows, stderr } = await drill.operator('reconcile', '--fix', '--json')
  expect({ code, stderr }).toMatchObject({ code: 1, stderr: expect.stringContaining('the bytes of 1 files are lost') })
  expect(Object.fromEntries(rows.map(({ fileId, difference, outcome }) => [fileId, [difference, outcome]]))).toEqual({
    [synced.id]: ['evicted', 'repaired'],
    [hot.id]: ['lost', 'in_error'],
  })
  for (const worker of [sync, eviction]) signalProcess(worker, 'SIGCONT')

  await files.until(synced.id, 'cold')
  await files.expectReadable(synced)
  await files.expectLost(hot.id)
  const fresh = await files.upload()
  await files.until(fresh.id, 'cold')
  await files.expectReadable(fresh)
  expect(await drill.operator('verify', '--all', '--json')).toMatchObject({ code: 0, rows: [{ proved: 3, failed: 0 }] })

  // The next drill starts without files.
  for (const { id } of [cold, synced, hot, fresh]) {
    await files.client.ask(200, 'DELETE', `/api/files/${id}?permanent=true`)
  }
  await waitFor(async () => (await drill.operator('verify', '--all', '--json')).rows[0]?.proved === 0, {
    what: 'all copies to be gone',
    everyMs: 1000,
  })
})

test('after Postgres is restored to an earlier time, known files are readable or reported as lost, other bytes are listed, and nothing is deleted', async () => {
  const files = await openFiles(drill)
  const [sync, eviction] = [findProcess(drill, 'sync'), findProcess(drill, 'eviction')]
  const [cold, purged] = [await files.upload(), await files.upload()]
  for (const { id } of [cold, purged]) await files.until(id, 'cold')
  const backup = await keepBackup(drill)

  // Changes before the restore point.
  signalProcess(eviction, 'SIGSTOP')
  const synced = await files.upload()
  await files.until(synced.id, 'synced')
  signalProcess(sync, 'SIGSTOP')
  const hot = await files.upload()
  const uploading = await files.uploadUnconfirmed()
  const time = await backup.now()

  // Changes after the restore point.
  await files.confirm(uploading.id)
  for (const worker of [sync, eviction]) signalProcess(worker, 'SIGCONT')
  const unknown = await files.upload()
  for (const { id } of [synced, hot, uploading, unknown]) await files.until(id, 'cold')
  const copyOfUnknown = await files.read(unknown.id)
  const copyOfPurged = await files.read(purged.id)
  await files.client.ask(200, 'DELETE', `/api/files/${purged.id}?permanent=true`)
  await waitFor(async () => !(await files.hasCopy(copyOfPurged)), { what: 'the copy to be gone' })
  await backup.archiveAll()

  await drill.stop()
  await backup.restore(time)
  await drill.withServersAlone(async (operator) => {
    const found = await operator('reconcile', '--fix', '--json')
    expect(found).toMatchObject({ code: 1, stderr: expect.stringContaining('the bytes of 1 files are lost') })
    const byFile = Object.fromEntries(
      found.rows.map(({ fileId, difference, outcome }) => [fileId, [difference, outcome]]),
    )
    expect(byFile).toEqual({
      [synced.id]: ['evicted', 'repaired'],
      [hot.id]: ['copied', 'repaired'],
      [uploading.id]: ['copied', 'repaired'],
      [purged.id]: ['lost', 'in_error'],
    })
    const orphans = await operator('orphans', '--older-than', '0s', '--json')
    expect(orphans.rows).toMatchObject([{ kind: 'copy', fileId: unknown.id }])
  })
  await drill.start()

  for (const file of [cold, synced, hot, uploading]) {
    await files.until(file.id, 'cold')
    await files.expectReadable(file)
  }
  await files.expectLost(purged.id)
  await files.client.ask(404, 'GET', `/api/files/${unknown.id}`)
  expect(await files.hasCopy(copyOfUnknown)).toBe(true)
  expect(await drill.operator('verify', '--all', '--json')).toMatchObject({ code: 0, rows: [{ proved: 4, failed: 0 }] })
  expect((await drill.operator('reconcile', '--json')).rows).toEqual([])

  const fresh = await files.upload()
  await files.until(fresh.id, 'cold')
  await files.expectReadable(fresh)
})

/** Deletes all objects and the bucket itself. */
async function loseBucket(stack: TestStack): Promise<void> {
  const { endpoint, region, bucket: Bucket, ...credentials } = stack.describe().s3
  const client = new S3Client({ endpoint, region, credentials, forcePathStyle: true })
  const { Contents = [] } = await client.send(new ListObjectsV2Command({ Bucket }))
  for (const { Key } of Contents) await client.send(new DeleteObjectCommand({ Bucket, Key }))
  const { Uploads = [] } = await client.send(new ListMultipartUploadsCommand({ Bucket }))
  for (const { Key, UploadId } of Uploads) {
    await client.send(new AbortMultipartUploadCommand({ Bucket, Key, UploadId }))
  }
  await client.send(new DeleteBucketCommand({ Bucket }))
  client.destroy()
}

/** The files of one account, and checks of their state. */
async function openFiles(drill: Drill) {
  const client = createPatientClient(drill.describe().gatewayUrls)
  const vault = await client.ask<Vault>(201, 'POST', '/api/vaults', { name: 'Drill', visibility: 'public' })
  const read = (id: string) => client.ask<FileRecord>(200, 'GET', `/api/files/${id}`)

  return {
    client,
    read,
    async upload(): Promise<{ id: string; bytes: Buffer }> {
      const bytes = uniqueBytes()
      return { id: (await client.upload(vault.id, bytes)).id, bytes }
    },
    /** An upload whose bytes exist but are not confirmed. */
    async uploadUnconfirmed(): Promise<{ id: string; bytes: Buffer }> {
      const bytes = uniqueBytes()
      const mimeType = 'application/octet-stream'
      const request = { vaultId: vault.id, name: 'report.bin', mimeType, sizeBytes: bytes.length }
      const upload = await client.ask<Upload>(201, 'POST', '/api/files/upload', request)
      expect(await putBytes(upload, bytes)).toBe(200)
      return { id: upload.fileId, bytes }
    },
    /** The statuses of a new upload and of public reads of these files, without retries. */
    async statuses(...ids: string[]): Promise<{ upload: number; reads: number[] }> {
      const api = createApiClient(String(drill.describe().gatewayUrls[0]), client.identity, { takes503: true })
      const request = { vaultId: vault.id, name: 'report.bin', mimeType: 'application/octet-stream', sizeBytes: 1 }
      const upload = await api.post('/api/files/upload', request)
      const reads = await Promise.all(ids.map((id) => fetchBytes(publicFileUrl(api, id))))
      return { upload: upload.status, reads: reads.map(({ status }) => status) }
    },
    confirm: (id: string) => client.ask<FileRecord>(200, 'POST', `/api/files/${id}/confirm`),
    until: (id: string, status: Status) =>
      waitFor(async () => (await read(id)).status === status, { what: `file ${id} to be ${status}` }),
    async expectReadable({ id, bytes }: { id: string; bytes: Buffer }): Promise<void> {
      for (const [route, got] of Object.entries(await client.read(await read(id)))) {
        expect(got.equals(bytes), `bytes of ${id} ${route}`).toBe(true)
      }
    },
    /** The owner receives the error of lost bytes. Other users receive 404. */
    async expectLost(id: string): Promise<void> {
      expect(await read(id)).toMatchObject({ status: 'error', errorCode: 'content_lost' })
      const api = createApiClient(String(drill.describe().gatewayUrls[0]), client.identity)
      await withDownloadUrl(api, id, async (url) =>
        expect(await (await fetch(url)).json()).toMatchObject({ code: 'content_lost' }),
      )
      await client.ask(404, 'GET', `/api/public/files/${id}`)
    },
    hasCopy: async ({ id, storageNetworkBlobId }: FileRecord) =>
      await access(join(drill.describe().networkDir, String(storageNetworkBlobId), `${id}_1`)).then(
        () => true,
        () => false,
      ),
  }
}
