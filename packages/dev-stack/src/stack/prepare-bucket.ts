import { CreateBucketCommand, PutBucketCorsCommand, S3Client } from '@aws-sdk/client-s3'
import type { S3Server } from '../launch-s3.ts'

/** Makes the bucket unless it is there, and lets browsers of any origin use the presigned URLs it gives out. */
export async function prepareBucket(server: S3Server, bucket: string): Promise<void> {
  const { endpoint, region, accessKeyId, secretAccessKey } = server
  const client = new S3Client({ endpoint, region, credentials: { accessKeyId, secretAccessKey }, forcePathStyle: true })
  try {
    await client.send(new CreateBucketCommand({ Bucket: bucket })).catch(ignoreExisting)
    const rule = { AllowedOrigins: ['*'], AllowedMethods: ['GET', 'HEAD', 'PUT'], AllowedHeaders: ['*'] }
    const CORSRules = [{ ...rule, ExposeHeaders: ['ETag'], MaxAgeSeconds: 600 }]
    await client.send(new PutBucketCorsCommand({ Bucket: bucket, CORSConfiguration: { CORSRules } }))
  } finally {
    client.destroy()
  }
}

function ignoreExisting(error: Error): void {
  if (!['BucketAlreadyOwnedByYou', 'BucketAlreadyExists'].includes(error.name)) throw error
}
