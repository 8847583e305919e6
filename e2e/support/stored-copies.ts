import { readdir } from 'node:fs/promises'
import { basename } from 'node:path'
import { ListObjectsV2Command, S3Client } from '@aws-sdk/client-s3'
import type { StackFile } from './start-test-stack.ts'

export function openHotTier({ s3 }: StackFile): S3Client {
  const credentials = { accessKeyId: s3.accessKeyId, secretAccessKey: s3.secretAccessKey }
  return new S3Client({ endpoint: s3.endpoint, region: s3.region, credentials, forcePathStyle: true })
}

export async function hotCopies(stack: StackFile, fileId: string): Promise<string[]> {
  using client = disposable(openHotTier(stack))
  const place = { Bucket: stack.s3.bucket, Prefix: `hot/${fileId}/` }
  const { Contents = [] } = await client.send(new ListObjectsV2Command(place))
  return Contents.map(({ Key }) => Key as string)
}

const disposable = (client: S3Client) => Object.assign(client, { [Symbol.dispose]: () => client.destroy() })

export async function networkCopies({ networkDir }: StackFile, fileId: string): Promise<string[]> {
  return (await readdir(networkDir, { recursive: true })).filter((path) =>
    new RegExp(`^${fileId}_\\d+$`).test(basename(path)),
  )
}
