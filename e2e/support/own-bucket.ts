import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { CreateBucketCommand, GetObjectCommand, ListObjectsV2Command } from '@aws-sdk/client-s3'
import { sharedStack } from './shared-stack.ts'
import { openHotTier } from './stored-copies.ts'

/** A bucket of somebody who exports, at a store that is theirs. */
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
    /** As the environment of a command has them. */
    credentials: { AWS_ACCESS_KEY_ID: accessKeyId, AWS_SECRET_ACCESS_KEY: secretAccessKey },
    /** As an example names them. */
    asVariables: { ID: accessKeyId, SECRET: secretAccessKey, BUCKET: bucket, ENDPOINT: endpoint },
    /** Brings all of it into a folder of this machine, without the folders that it is in there. */
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
