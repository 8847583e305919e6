import {
  CreateBucketCommand,
  DeleteBucketCommand,
  GetBucketLocationCommand,
  HeadBucketCommand,
  ListBucketsCommand,
  ListObjectsV2Command,
  S3Client,
} from '@aws-sdk/client-s3'
import { freePort } from '@tideport/dev-stack/ports/free-port'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createKey, newAccount } from './support/account.ts'
import { startTestStack } from './support/start-test-stack.ts'

let stack: Awaited<ReturnType<typeof startTestStack>>
let s3: S3Client
beforeAll(async () => {
  const port = await freePort()
  stack = await startTestStack({ env: { S3_API_PORT: String(port), S3_API_HOSTS: 's3.localhost' } })
  const [gatewayUrl = ''] = stack.describe().gatewayUrls
  const key = (await createKey(newAccount(gatewayUrl), { s3: true })) as unknown as {
    s3: { accessKeyId: string; secretAccessKey: string }
  }
  s3 = new S3Client({
    endpoint: `http://127.0.0.1:${port}`,
    forcePathStyle: true,
    region: 'us-east-1',
    credentials: key.s3,
  })
})
afterAll(() => stack?.[Symbol.asyncDispose]())

describe('a bucket', () => {
  it('is created, found, listed, and deleted', async () => {
    await s3.send(new CreateBucketCommand({ Bucket: 'first-bucket' }))
    await s3.send(new HeadBucketCommand({ Bucket: 'first-bucket' }))
    expect((await s3.send(new ListBucketsCommand({}))).Buckets).toContainEqual(
      expect.objectContaining({ Name: 'first-bucket' }),
    )
    expect(await s3.send(new GetBucketLocationCommand({ Bucket: 'first-bucket' }))).not.toHaveProperty(
      'LocationConstraint',
    )
    expect(await s3.send(new ListObjectsV2Command({ Bucket: 'first-bucket' }))).toMatchObject({
      KeyCount: 0,
      IsTruncated: false,
    })
    await s3.send(new DeleteBucketCommand({ Bucket: 'first-bucket' }))
    await expect(s3.send(new HeadBucketCommand({ Bucket: 'first-bucket' }))).rejects.toMatchObject({ name: 'NotFound' })
  })
})
