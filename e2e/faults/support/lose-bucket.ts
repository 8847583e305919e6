import {
  AbortMultipartUploadCommand,
  DeleteBucketCommand,
  DeleteObjectCommand,
  ListMultipartUploadsCommand,
  ListObjectsV2Command,
  S3Client,
} from '@aws-sdk/client-s3'
import type { TestStack } from './processes.ts'

/** All of it, and the bucket itself. */
export async function loseBucket(stack: TestStack): Promise<void> {
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
