import { Readable } from 'node:stream'
import { setTimeout as delay } from 'node:timers/promises'
import {
  CopyObjectCommand,
  CreateBucketCommand,
  CreateMultipartUploadCommand,
  DeleteBucketCommand,
  DeleteObjectCommand,
  DeleteObjectsCommand,
  GetBucketCorsCommand,
  GetObjectCommand,
  GetObjectTaggingCommand,
  HeadBucketCommand,
  ListBucketsCommand,
  ListMultipartUploadsCommand,
  ListObjectsCommand,
  ListObjectsV2Command,
  PutBucketCorsCommand,
  PutObjectCommand,
  S3Client,
  type S3ServiceException,
} from '@aws-sdk/client-s3'
import { waitFor } from '@tideport/testing/wait-for'
import { expect, test } from 'vitest'
import { createKey, withToken } from './support/account.ts'
import { runStatement, tablesThatContain } from './support/database.ts'
import type { Vault } from './support/resources.ts'
import { freshAccount, sharedStack } from './support/shared-stack.ts'

type Credentials = { accessKeyId: string; secretAccessKey: string }
type S3Key = { id: string; key: string; s3: Credentials }

const { s3ApiUrls } = sharedStack()
const newKey = async (owner: ReturnType<typeof freshAccount>, options: object = {}) =>
  (await createKey(owner, { s3: true, ...options })) as unknown as S3Key
const clientFor = ({ s3 }: S3Key, gateway = 0) =>
  new S3Client({
    endpoint: s3ApiUrls[gateway] as string,
    region: 'us-east-1',
    forcePathStyle: true,
    credentials: s3,
    maxAttempts: 1,
  })

/** The error code, or OK. */
async function codeOf(sent: Promise<unknown>): Promise<string> {
  try {
    await sent
    return 'OK'
  } catch (error) {
    return (error as S3ServiceException).name
  }
}
const list = (client: S3Client) => codeOf(client.send(new ListBucketsCommand()))
const put = (client: S3Client, Bucket: string, Key: string) =>
  codeOf(client.send(new PutObjectCommand({ Bucket, Key, Body: 'x' })))
const get = (client: S3Client, Bucket: string, Key: string) =>
  codeOf(client.send(new GetObjectCommand({ Bucket, Key })))
const bucketName = () => `b-${crypto.randomUUID()}`

test('the secret of the S3 API is stored nowhere', async () => {
  const { s3 } = await newKey(freshAccount())
  expect(await tablesThatContain(sharedStack(), s3.secretAccessKey)).toEqual([])
  expect(await tablesThatContain(sharedStack(), s3.accessKeyId)).toEqual(['auth.api_key', 'auth.audit_event'])
})

test('a revocation responds when every gateway rejects the S3 requests of the key, and ends its uploads', async () => {
  const owner = freshAccount()
  const key = await newKey(owner)
  const clients = s3ApiUrls.map((_, gateway) => clientFor(key, gateway))
  expect(await Promise.all(clients.map(list))).toEqual(['OK', 'OK'])
  const bucket = bucketName()
  await clients[0]?.send(new CreateBucketCommand({ Bucket: bucket }))
  const uploads = clients.map((client) => endlessUpload(client, bucket))
  for (const upload of uploads) await waitFor(() => upload.sentPieces() > 2)
  await owner.delete(`/api/auth/api-keys/${key.id}`)
  expect(await Promise.all(clients.map(list))).toEqual(['InvalidAccessKeyId', 'InvalidAccessKeyId'])
  for (const upload of uploads) expect(await upload.outcome).not.toBe('OK')
})

/** An upload of a gigabyte that sends a little at a time. */
function endlessUpload(client: S3Client, Bucket: string) {
  let sent = 0
  async function* pieces() {
    for (; ; sent++) {
      yield Buffer.alloc(65_536)
      await delay(50)
    }
  }
  const object = { Bucket, Key: 'big', Body: Readable.from(pieces()), ContentLength: 1e9 }
  return { sentPieces: () => sent, outcome: codeOf(client.send(new PutObjectCommand(object))) }
}

test('an expired key gets no further S3 response', async () => {
  const key = await newKey(freshAccount(), { expiresInDays: 1 })
  expect(await list(clientFor(key))).toBe('OK')
  await runStatement(sharedStack(), `update auth.api_key set expires_at = now() where id = '${key.id}'`)
  // Gateways cache a key that was far from its expiry for a second.
  await waitFor(async () => (await list(clientFor(key))) !== 'OK')
  expect(await list(clientFor(key))).toBe('InvalidAccessKeyId')
})

test('the limits and scopes of a key hold for its S3 requests', async () => {
  const owner = freshAccount()
  const full = clientFor(await newKey(owner))
  const [seen, unseen] = [bucketName(), bucketName()]
  for (const Bucket of [seen, unseen]) await full.send(new CreateBucketCommand({ Bucket }))
  for (const name of ['in/a', 'out/a']) expect(await put(full, seen, name)).toBe('OK')
  const { body } = await owner.get<{ vaults: Vault[] }>('/api/vaults')
  const vaultId = body.vaults.find(({ slug }) => slug === seen)?.id as string
  const limits = { vaultIds: [vaultId], prefixes: ['in/'], verbs: ['read'] }
  const reader = await newKey(owner, { limits })
  // A key that is created with the key inherits its limits.
  const keyless = withToken(owner, reader.key)
  for (const key of [reader, await newKey(keyless)]) {
    const client = clientFor(key)
    expect(await get(client, seen, 'in/a')).toBe('OK')
    expect(await get(client, seen, 'out/a')).toMatch(/NoSuchKey|AccessDenied/)
    expect(await get(client, unseen, 'in/a')).toBe('NoSuchBucket')
    expect(await put(client, seen, 'in/b')).toBe('AccessDenied')
    expect(await codeOf(client.send(new DeleteObjectCommand({ Bucket: seen, Key: 'in/a' })))).toBe('AccessDenied')
    expect((await client.send(new ListBucketsCommand())).Buckets?.map(({ Name }) => Name)).toEqual([seen])
    const { Contents } = await client.send(new ListObjectsV2Command({ Bucket: seen, Prefix: 'in/' }))
    expect(Contents?.map(({ Key }) => Key)).toEqual(['in/a'])
  }
  expect(await put(clientFor(await newKey(owner, { scopes: ['files:read'] })), seen, 'in/b')).toBe('AccessDenied')
  const elsewhere = await newKey(owner, { limits: { addresses: ['192.0.2.0/24'] } })
  expect(await list(clientFor(elsewhere))).toBe('AccessDenied')
})

test("another account's bucket does not exist, by any operation", async () => {
  const owner = clientFor(await newKey(freshAccount()))
  const other = clientFor(await newKey(freshAccount()))
  const [Bucket, own, Key] = [bucketName(), bucketName(), 'a']
  await owner.send(new CreateBucketCommand({ Bucket }))
  await other.send(new CreateBucketCommand({ Bucket: own }))
  for (const [client, bucket] of [
    [owner, Bucket],
    [other, own],
  ] as const)
    expect(await put(client, bucket, Key)).toBe('OK')
  const CORSConfiguration = { CORSRules: [{ AllowedMethods: ['GET'], AllowedOrigins: ['*'] }] }
  const attempts = [
    new ListObjectsCommand({ Bucket }),
    new ListObjectsV2Command({ Bucket }),
    new ListMultipartUploadsCommand({ Bucket }),
    new GetBucketCorsCommand({ Bucket }),
    new PutBucketCorsCommand({ Bucket, CORSConfiguration }),
    new DeleteBucketCommand({ Bucket }),
    new GetObjectCommand({ Bucket, Key }),
    new GetObjectTaggingCommand({ Bucket, Key }),
    new PutObjectCommand({ Bucket, Key, Body: 'x' }),
    new DeleteObjectCommand({ Bucket, Key }),
    new DeleteObjectsCommand({ Bucket, Delete: { Objects: [{ Key }] } }),
    new CreateMultipartUploadCommand({ Bucket, Key }),
    new CopyObjectCommand({ Bucket, Key, CopySource: `${own}/${Key}` }),
    new CopyObjectCommand({ Bucket: own, Key: 'b', CopySource: `${Bucket}/${Key}` }),
  ]
  for (const attempt of attempts) {
    const what = `${attempt.constructor.name} ${JSON.stringify(attempt.input)}`
    expect(await codeOf(other.send(attempt as ListObjectsCommand)), what).toBe('NoSuchBucket')
  }
  expect(await codeOf(other.send(new HeadBucketCommand({ Bucket })))).toBe('NotFound')
  expect((await other.send(new ListBucketsCommand())).Buckets?.map(({ Name }) => Name)).not.toContain(Bucket)
  expect(await get(owner, Bucket, Key)).toBe('OK')
})
