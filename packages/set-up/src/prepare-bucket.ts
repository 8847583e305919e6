import {
  type CORSRule,
  CreateBucketCommand,
  DeleteBucketCorsCommand,
  HeadBucketCommand,
  PutBucketCorsCommand,
  S3Client,
  type S3ClientConfig,
} from '@aws-sdk/client-s3'

const limits = { connectionTimeout: 5_000, requestTimeout: 30_000, socketTimeout: 30_000, throwOnRequestTimeout: true }

/**
 * Creates a missing bucket and sets its CORS rule: an empty list deletes the rule, undefined keeps it. Throws the error
 * of the store.
 */
export async function prepareBucket(
  store: S3ClientConfig,
  bucket: string,
  origins: readonly string[] | undefined,
): Promise<void> {
  const client = new S3Client({ ...store, requestHandler: limits })
  try {
    if (!(await isThere(client, bucket))) await create(client, bucket, store.region as string)
    if (origins !== undefined) await setRule(client, bucket, origins)
  } finally {
    client.destroy()
  }
}

/** Checked first, because credentials that may use a bucket may not be allowed to create one. */
async function isThere(client: S3Client, bucket: string): Promise<boolean> {
  try {
    await client.send(new HeadBucketCommand({ Bucket: bucket }))
    return true
  } catch (error) {
    if ((error as { $metadata?: { httpStatusCode?: number } }).$metadata?.httpStatusCode === 404) return false
    throw error
  }
}

/** AWS requires the oldest region to be omitted and all others to be named. */
async function create(client: S3Client, bucket: string, region: string): Promise<void> {
  const named = region === 'us-east-1' ? {} : { CreateBucketConfiguration: { LocationConstraint: region as never } }
  try {
    await client.send(new CreateBucketCommand({ Bucket: bucket, ...named }))
  } catch (error) {
    // Another process created the bucket. If the bucket has another owner, the next call fails.
    if (!['BucketAlreadyOwnedByYou', 'BucketAlreadyExists'].includes((error as Error).name)) throw error
  }
}

async function setRule(client: S3Client, bucket: string, origins: readonly string[]): Promise<void> {
  if (origins.length === 0) return void (await client.send(new DeleteBucketCorsCommand({ Bucket: bucket })))
  const CORSConfiguration = { CORSRules: [ruleFor(origins)] }
  await client.send(new PutBucketCorsCommand({ Bucket: bucket, CORSConfiguration }))
}

/** Clients use presigned URLs for uploads, including parts, and for reads, including ranges. */
function ruleFor(origins: readonly string[]): CORSRule {
  return {
    AllowedOrigins: [...origins],
    AllowedMethods: ['GET', 'HEAD', 'PUT'],
    AllowedHeaders: ['*'],
    ExposeHeaders: ['ETag', 'Accept-Ranges', 'Content-Range', 'Content-Disposition'],
    MaxAgeSeconds: 600,
  }
}
