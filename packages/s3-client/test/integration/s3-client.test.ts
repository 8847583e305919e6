import { text } from 'node:stream/consumers'
import {
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  HeadObjectCommand,
  ListPartsCommand,
  UploadPartCommand,
} from '@aws-sdk/client-s3'
import { createBucket } from '@tideport/testing/s3'
import { describe, expect, it } from 'vitest'
import { elementsOf, textOf } from '../../src/response.ts'
import { createS3Client, type S3ClientOptions } from '../../src/s3-client.ts'

const waits = { connectTimeoutMs: 2_000, answerTimeoutMs: 3_500, silenceTimeoutMs: 10_000 }
const limits = { connections: 8, attempts: 2, ...waits } as const
const KEYS = ['plain', 'hot/a b/ä漢😀', "odd !'()*+,;=:@&$~._-", '100%/%41/?#[]']

async function setup(more: Partial<S3ClientOptions> = {}) {
  const { settings, client: sdk, dispose } = await createBucket()
  const { endpoint, region, bucket, accessKeyId, secretAccessKey } = settings
  const credentials = async () => ({ accessKeyId, secretAccessKey })
  const client = createS3Client({ endpoint, region, bucket, forcePathStyle: true, credentials, ...limits, ...more })
  return {
    ...{ client, sdk, bucket, settings },
    [Symbol.dispose]() {
      client[Symbol.dispose]()
      dispose()
    },
  }
}

describe('compared with the SDK, on the store', () => {
  it.each(KEYS)('uploads, reads, and deletes an object under the key %j', async (key) => {
    using t = await setup()
    const { client, sdk, bucket: Bucket } = t
    const headers = { 'content-type': 'text/x-odd; note="a  b"' }
    const begun = await client.ask({ method: 'POST', key, query: { uploads: '' }, headers })
    const uploadId = textOf(begun.body, 'UploadId') ?? ''
    const upload = { Bucket, Key: key, UploadId: uploadId }
    const sent = await sdk.send(new UploadPartCommand({ ...upload, PartNumber: 1, Body: 'hello' }))
    const listed = await client.ask({ method: 'GET', key, query: { uploadId } })
    const parts = [...elementsOf(listed.body, 'Part')].map((part) => ({
      ...{
        PartNumber: Number(textOf(part, 'PartNumber')),
        Size: Number(textOf(part, 'Size')),
        ETag: textOf(part, 'ETag'),
      },
    }))
    const { Parts = [] } = await sdk.send(new ListPartsCommand(upload))
    expect(parts).toEqual(Parts.map(({ PartNumber, Size, ETag }) => ({ PartNumber, Size, ETag })))
    const body = `<CompleteMultipartUpload><Part><PartNumber>1</PartNumber><ETag>${sent.ETag}</ETag></Part></CompleteMultipartUpload>`
    await client.ask({ method: 'POST', key, query: { uploadId }, headers: { 'if-none-match': '*' }, body })

    const head = await client.ask({ method: 'HEAD', key })
    const seen = await sdk.send(new HeadObjectCommand({ Bucket, Key: key }))
    expect(head.headers).toMatchObject({ 'content-length': '5', 'content-type': seen.ContentType, etag: seen.ETag })
    expect(await text((await client.open({ method: 'GET', key })).body)).toBe('hello')
    expect(await text((await client.open({ method: 'GET', key, headers: { range: 'bytes=1-3' } })).body)).toBe('ell')
    await client.ask({ method: 'DELETE', key })
    await expect(client.ask({ method: 'HEAD', key })).rejects.toMatchObject({ name: 'NotFound', status: 404 })
  })

  it('refusals have the same names as in the SDK', async () => {
    using t = await setup()
    const { client, sdk, bucket: Bucket } = t
    const uploadId = (await sdk.send(new CreateMultipartUploadCommand({ Bucket, Key: 'a' }))).UploadId ?? ''
    const completion = (etag: string) =>
      `<CompleteMultipartUpload><Part><PartNumber>1</PartNumber><ETag>${etag}</ETag></Part></CompleteMultipartUpload>`
    const MultipartUpload = { Parts: [{ PartNumber: 1, ETag: '"0"' }] }
    const theirs = (command: CompleteMultipartUploadCommand) => sdk.send(command).catch((error: Error) => error.name)
    const cases = [
      [{ uploadId }, new CompleteMultipartUploadCommand({ Bucket, Key: 'a', UploadId: uploadId, MultipartUpload })],
      [
        { uploadId: 'none' },
        new CompleteMultipartUploadCommand({ Bucket, Key: 'a', UploadId: 'none', MultipartUpload }),
      ],
    ] as const
    for (const [query, command] of cases) {
      const name = await theirs(command)
      const ours = client.ask({ method: 'POST', key: 'a', query, body: completion('"0"') })
      await expect(ours).rejects.toMatchObject({ name })
    }
    await expect(client.open({ method: 'GET', key: 'none' })).rejects.toMatchObject({ name: 'NoSuchKey', status: 404 })
    const { endpoint, region, bucket, accessKeyId } = t.settings
    const credentials = async () => ({ accessKeyId, secretAccessKey: 'another' })
    using stranger = createS3Client({ endpoint, region, bucket, forcePathStyle: true, credentials, ...limits })
    await expect(stranger.ask({ method: 'GET', key: 'a' })).rejects.toMatchObject({ name: 'SignatureDoesNotMatch' })
  })
})
