import {
  type CORSRule,
  CreateBucketCommand,
  DeleteBucketCorsCommand,
  PutBucketCorsCommand,
  S3Client,
} from '@aws-sdk/client-s3'
import type { S3Server } from '../launch-s3.ts'

/** Makes the bucket unless it is there, and lets browsers of these origins, and of no others, use its presigned URLs. */
export async function prepareBucket(server: S3Server, bucket: string, origins: string[]): Promise<void> {
  const { endpoint, region, accessKeyId, secretAccessKey } = server
  const client = new S3Client({ endpoint, region, credentials: { accessKeyId, secretAccessKey }, forcePathStyle: true })
  try {
    await client.send(new CreateBucketCommand({ Bucket: bucket })).catch(ignoreExisting)
    if (origins.length === 0) await client.send(new DeleteBucketCorsCommand({ Bucket: bucket }))
    else
      await client.send(
        new PutBucketCorsCommand({ Bucket: bucket, CORSConfiguration: { CORSRules: [ruleFor(origins)] } }),
      )
  } finally {
    client.destroy()
  }
}

/** What clients do with the URLs: upload, also in parts, and read, also ranges. */
function ruleFor(origins: string[]): CORSRule {
  return {
    AllowedOrigins: origins,
    AllowedMethods: ['GET', 'HEAD', 'PUT'],
    AllowedHeaders: ['*'],
    ExposeHeaders: ['ETag', 'Accept-Ranges', 'Content-Range', 'Content-Disposition'],
    MaxAgeSeconds: 600,
  }
}

function ignoreExisting(error: Error): void {
  if (!['BucketAlreadyOwnedByYou', 'BucketAlreadyExists'].includes(error.name)) throw error
}
