import { join } from 'node:path'
import { CreateBucketCommand, GetBucketCorsCommand, PutBucketVersioningCommand, S3Client } from '@aws-sdk/client-s3'
import { launchS3 } from './launch.ts'
import { provided, type SharedS3 } from './provided.ts'
import { createTemporaryDirectory } from './temporary-directory.ts'

/** Address and credentials of a bucket; always path-style. */
export interface BucketSettings extends SharedS3 {
  bucket: string
}

/** A new bucket on the run's shared versitygw, which is deleted after the run. */
export async function createBucket() {
  return openBucket(provided('s3'))
}

export interface OwnS3 {
  /** Enables versioning in the bucket; `locked` also enables object locks. */
  versions?: 'kept' | 'locked' | undefined
}

/** A separate versitygw with one bucket, for tests that stop or kill it. It keeps its port. */
export async function startS3({ versions }: OwnS3 = {}) {
  const directory = await createTemporaryDirectory('s3')
  const keys = { accessKeyId: 'test', secretAccessKey: crypto.randomUUID() }
  const options = { dataDir: join(directory.path, 'data'), versions: versions !== undefined, ...keys }
  let server = await launchS3(options)
  const { port, endpoint, region, accessKeyId, secretAccessKey } = server
  const bucket = await openBucket({ endpoint, region, accessKeyId, secretAccessKey }, { versions })

  async function dispose() {
    bucket.dispose()
    await server.stop()
    await directory[Symbol.asyncDispose]()
  }

  return {
    ...bucket,
    port,
    stop: () => server.stop(),
    async kill() {
      server.kill()
      await server.exited
    },
    /** Restarts the server with its objects after `stop` or `kill`, and repairs interrupted multipart completions. */
    async start() {
      server = await launchS3({ ...options, port })
    },
    dispose,
    [Symbol.asyncDispose]: dispose,
  }
}

export const s3Environment = (settings: BucketSettings): Record<string, string> => ({
  S3_ENDPOINT: settings.endpoint,
  S3_REGION: settings.region,
  S3_BUCKET: settings.bucket,
  S3_FORCE_PATH_STYLE: 'true',
  AWS_ACCESS_KEY_ID: settings.accessKeyId,
  AWS_SECRET_ACCESS_KEY: settings.secretAccessKey,
})

/** Origins whose pages may use the bucket; empty without a CORS rule. */
export async function corsOrigins({ client, bucket }: Pick<TestBucket, 'client' | 'bucket'>): Promise<string[]> {
  const found = await client.send(new GetBucketCorsCommand({ Bucket: bucket })).catch(() => null)
  return found?.CORSRules?.flatMap(({ AllowedOrigins }) => AllowedOrigins ?? []) ?? []
}

export type TestBucket = Awaited<ReturnType<typeof createBucket>>

async function openBucket(server: SharedS3, { versions }: OwnS3 = {}) {
  const settings: BucketSettings = { ...server, bucket: `test-${crypto.randomUUID()}` }
  const { endpoint, region, accessKeyId, secretAccessKey, bucket } = settings
  const client = new S3Client({
    endpoint,
    region,
    credentials: { accessKeyId, secretAccessKey },
    forcePathStyle: true,
    requestChecksumCalculation: 'WHEN_REQUIRED',
  })
  await client.send(new CreateBucketCommand({ Bucket: bucket, ObjectLockEnabledForBucket: versions === 'locked' }))
  if (versions === 'kept') {
    const VersioningConfiguration = { Status: 'Enabled' } as const
    await client.send(new PutBucketVersioningCommand({ Bucket: bucket, VersioningConfiguration }))
  }
  const dispose = () => client.destroy()
  return { settings, bucket, client, dispose, [Symbol.dispose]: dispose }
}
