import { GetObjectCommand, ListObjectsV2Command, PutObjectCommand } from '@aws-sdk/client-s3'
import { expect, it } from 'vitest'
import { createBucket, startS3 } from '../../src/s3.ts'

it('gives every caller an empty bucket on the shared server', async () => {
  using one = await createBucket()
  using other = await createBucket()
  await one.client.send(new PutObjectCommand({ Bucket: one.bucket, Key: 'a', Body: 'x' }))
  expect(one.settings.endpoint).toBe(other.settings.endpoint)
  expect(await other.client.send(new ListObjectsV2Command({ Bucket: other.bucket }))).toMatchObject({ KeyCount: 0 })
})

it('starts a server of its own that comes back on its port with its objects after a kill', async () => {
  await using s3 = await startS3()
  await s3.client.send(new PutObjectCommand({ Bucket: s3.bucket, Key: 'a', Body: 'kept' }))
  await s3.kill()
  await expect(fetch(s3.settings.endpoint)).rejects.toThrow()
  await s3.start()
  const { Body } = await s3.client.send(new GetObjectCommand({ Bucket: s3.bucket, Key: 'a' }))
  expect(await Body?.transformToString()).toBe('kept')
})
