import {
  AbortMultipartUploadCommand,
  DeleteBucketCommand,
  DeleteObjectCommand,
  ListMultipartUploadsCommand,
  ListObjectsV2Command,
  S3Client,
} from '@aws-sdk/client-s3'
import { expect, test } from 'vitest'
import { startDrill } from './support/drill.ts'
import { openFiles } from './support/files-of-drill.ts'
import { findProcess, signalProcess, type TestStack } from './support/processes.ts'

/** All of it, and the bucket itself. */
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

test('the bucket is lost: what has a copy stays readable and goes on, what has none says so, new uploads work', async () => {
  await using drill = await startDrill()
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
  // Nothing is concluded from a bucket that is not there.
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
})
