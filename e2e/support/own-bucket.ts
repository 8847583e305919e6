import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { CreateBucketCommand, GetObjectCommand, ListObjectsV2Command } from '@aws-sdk/client-s3'
import { sharedStack } from './shared-stack.ts'
import { openHotTier } from './stored-copies.ts'

/** A bucket as the target of an account's export. */
export async function ownBucket() {
  const { s3 } = sharedStack()
  const client = openHotTier(sharedStack())
  const bucket = `own-${crypto.randomUUID()}`
  await client.send(new CreateBucketCommand({ Bucket: bucket }))
  const { endpoint, region, accessKeyId, secretAccessKey } = s3
  const keys = async () => {
    const { Contents = [] } = await client.send(new ListObjectsV2Command({ Bucket: bucket }))
    return Contents.map(({ Key = '' }) => Key)
  }
  return {
    ...{ bucket, keys },
    target: { type: 's3' as const, endpoint, region, bucket, accessKeyId, secretAccessKey },
    /** Credentials as environment variables of a command. */
    credentials: { AWS_ACCESS_KEY_ID: accessKeyId, AWS_SECRET_ACCESS_KEY: secretAccessKey },
    /** The variables of the documentation's example. */
    asVariables: { ID: accessKeyId, SECRET: secretAccessKey, BUCKET: bucket, ENDPOINT: endpoint },
    /** Downloads all objects into one local folder, without their folders in the bucket. */
    async download(folder: string): Promise<void> {
      await mkdir(folder)
      for (const Key of await keys()) {
        const { Body } = await client.send(new GetObjectCommand({ Bucket: bucket, Key }))
        await writeFile(join(folder, Key.split('/').at(-1) ?? ''), (await Body?.transformToByteArray()) ?? '')
      }
    },
    [Symbol.asyncDispose]: async () => client.destroy(),
  }
}
