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

/** Creates the bucket if missing, and sets its CORS rule: no origins remove it, undefined keeps it. Throws the store's refusal. */
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

/** Asked first: whoever may use a bucket need not be allowed to make one. */
async function isThere(client: S3Client, bucket: string): Promise<boolean> {
  try {
    await client.send(new HeadBucketCommand({ Bucket: bucket }))
    return true
  } catch (error) {
    if ((error as { $metadata?: { httpStatusCode?: number } }).$metadata?.httpStatusCode === 404) return false
    throw error
  }
}

/** AWS wants its oldest region unnamed, and all others named. */
async function create(client: S3Client, bucket: string, region: string): Promise<void> {
  const named = region === 'us-east-1' ? {} : { CreateBucketConfiguration: { LocationConstraint: region as never } }
  try {
    await client.send(new CreateBucketCommand({ Bucket: bucket, ...named }))
  } catch (error) {
    // Somebody else was quicker. Of a stranger's bucket the next call says so.
    if (!['BucketAlreadyOwnedByYou', 'BucketAlreadyExists'].includes((error as Error).name)) throw error
  }
}

async function setRule(client: S3Client, bucket: string, origins: readonly string[]): Promise<void> {
  if (origins.length === 0) return void (await client.send(new DeleteBucketCorsCommand({ Bucket: bucket })))
  const CORSConfiguration = { CORSRules: [ruleFor(origins)] }
  await client.send(new PutBucketCorsCommand({ Bucket: bucket, CORSConfiguration }))
}

/** What clients do with the URLs: upload, also in parts, and read, also ranges. */
function ruleFor(origins: readonly string[]): CORSRule {
  return {
    AllowedOrigins: [...origins],
    AllowedMethods: ['GET', 'HEAD', 'PUT'],
    AllowedHeaders: ['*'],
    ExposeHeaders: ['ETag', 'Accept-Ranges', 'Content-Range', 'Content-Disposition'],
    MaxAgeSeconds: 600,
  }
}
