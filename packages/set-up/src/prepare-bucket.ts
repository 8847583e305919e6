import { hash } from 'node:crypto'
import { escapeText, S3Error } from '@tideport/s3-client/response'
import { createS3Client, type S3Client, type S3ClientOptions } from '@tideport/s3-client/s3-client'
import type { BucketLocation } from '@tideport/s3-client/signature'

const limits = { connectTimeoutMs: 5_000, answerTimeoutMs: 30_000, silenceTimeoutMs: 30_000 }
const namespace = 'xmlns="http://s3.amazonaws.com/doc/2006-03-01/"'

export type Bucket = BucketLocation & Pick<S3ClientOptions, 'credentials'>

/**
 * Creates a missing bucket and sets its CORS rule: an empty list deletes the rule, undefined keeps it. Throws the error
 * of the store.
 */
export async function prepareBucket(bucket: Bucket, origins: readonly string[] | undefined): Promise<void> {
  using client = createS3Client({ ...bucket, ...limits, connections: 1, attempts: 2 })
  if (!(await exists(client))) await create(client, bucket.region)
  if (origins !== undefined) await setRule(client, origins)
}

/** Checked first, because credentials that may use a bucket may not be allowed to create one. */
async function exists(client: S3Client): Promise<boolean> {
  try {
    await client.ask({ method: 'HEAD' })
    return true
  } catch (error) {
    if (error instanceof S3Error && error.status === 404) return false
    throw error
  }
}

/** AWS requires the oldest region to be omitted and all others to be named. */
async function create(client: S3Client, region: string): Promise<void> {
  const named = `<LocationConstraint>${escapeText(region)}</LocationConstraint>`
  const body = `<CreateBucketConfiguration ${namespace}>${named}</CreateBucketConfiguration>`
  try {
    await client.ask({ method: 'PUT', ...(region !== 'us-east-1' && { body }) })
  } catch (error) {
    // Another process created the bucket. If the bucket has another owner, the next call fails.
    if (!['BucketAlreadyOwnedByYou', 'BucketAlreadyExists'].includes((error as Error).name)) throw error
  }
}

async function setRule(client: S3Client, origins: readonly string[]): Promise<void> {
  const query = { cors: '' }
  if (origins.length === 0) return void (await client.ask({ method: 'DELETE', query }))
  const body = ruleFor(origins)
  await client.ask({ method: 'PUT', query, headers: { 'content-md5': hash('md5', body, 'base64') }, body })
}

/** Clients use presigned URLs for uploads, including parts, and for reads, including ranges. */
function ruleFor(origins: readonly string[]): string {
  const rule = {
    AllowedOrigin: origins,
    AllowedMethod: ['GET', 'HEAD', 'PUT'],
    AllowedHeader: ['*'],
    ExposeHeader: ['ETag', 'Accept-Ranges', 'Content-Range', 'Content-Disposition'],
    MaxAgeSeconds: ['600'],
  }
  const elements = Object.entries(rule).flatMap(([name, values]) =>
    values.map((value) => `<${name}>${escapeText(value)}</${name}>`),
  )
  return `<CORSConfiguration ${namespace}><CORSRule>${elements.join('')}</CORSRule></CORSConfiguration>`
}
