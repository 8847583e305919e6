import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { glob, mkdir, writeFile } from 'node:fs/promises'
import { request } from 'node:http'
import type { Socket } from 'node:net'
import { join } from 'node:path'
import {
  CompleteMultipartUploadCommand,
  CreateBucketCommand,
  CreateMultipartUploadCommand,
  DeleteObjectCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListMultipartUploadsCommand,
  ListPartsCommand,
  PutObjectCommand,
  S3Client,
  UploadPartCommand,
} from '@aws-sdk/client-s3'
import { getSignedUrl } from '@aws-sdk/s3-request-presigner'
import { createTemporaryDirectory } from '@tideport/testing/temporary-directory'
import { expect, test } from 'vitest'
import { exists } from '../../src/file-system/exists.ts'
import { launchS3, type S3Server } from '../../src/servers/launch-s3.ts'

const keys = { accessKeyId: 'test', secretAccessKey: 'test-secret' }
const target = { Bucket: 'kept', Key: 'hot/a/b' }
const partBytes = 8 * 1024 * 1024
const partNumbers = Array.from({ length: 12 }, (_, index) => index + 1)

function clientOf(server: S3Server, credentials = keys) {
  const { endpoint, region } = server
  return new S3Client({ endpoint, region, credentials, forcePathStyle: true, maxAttempts: 1 })
}

async function uploadParts(client: S3Client) {
  const { UploadId } = await client.send(new CreateMultipartUploadCommand({ ...target, ContentType: 'text/x-test' }))
  for (const PartNumber of partNumbers) {
    const Body = Buffer.alloc(partBytes, PartNumber)
    await client.send(new UploadPartCommand({ ...target, UploadId, PartNumber, Body }))
  }
  return { ...target, UploadId }
}

async function complete(client: S3Client, upload: Awaited<ReturnType<typeof uploadParts>>) {
  const { Parts = [] } = await client.send(new ListPartsCommand(upload))
  const wanted = Parts.map(({ PartNumber, ETag }) => ({ PartNumber, ETag }))
  return client.send(new CompleteMultipartUploadCommand({ ...upload, MultipartUpload: { Parts: wanted } }))
}

async function hasInterrupted(dir: string): Promise<boolean> {
  for await (const _ of glob('objects/*/.sgwtmp/multipart/*/*.inprogress', { cwd: dir })) return true
  return false
}

/** False if the completion finished before it was observed. */
async function isSeenAtWork(dir: string, completion: Promise<unknown>): Promise<boolean> {
  let isOver = false
  void completion.then(() => (isOver = true))
  while (!isOver) if (await hasInterrupted(dir)) return true
  return false
}

test('keeps objects after a stop and after a kill -9, and rejects a wrong secret', async () => {
  await using dir = await createTemporaryDirectory('dev-stack')
  const first = await launchS3({ dataDir: dir.path, ...keys })
  const client = clientOf(first)
  await client.send(new CreateBucketCommand({ Bucket: target.Bucket }))
  await client.send(new PutObjectCommand({ ...target, Body: 'kept', ContentType: 'text/x-test' }))
  await first.stop()
  const second = await launchS3({ dataDir: dir.path, port: first.port, ...keys })
  second.kill()
  expect(await second.exited).toMatchObject({ signal: 'SIGKILL' })

  await using third = await launchS3({ dataDir: dir.path, port: first.port, ...keys })
  const object = await client.send(new GetObjectCommand(target))
  expect(await object.Body?.transformToString()).toBe('kept')
  expect(object.ContentType).toBe('text/x-test')
  const stranger = clientOf(third, { ...keys, secretAccessKey: 'another' })
  await expect(stranger.send(new GetObjectCommand(target))).rejects.toThrow(/signature/i)
})

test('stores no part whose client disconnects midway, by FIN or by RST', async () => {
  await using dir = await createTemporaryDirectory('dev-stack')
  await using server = await launchS3({ dataDir: dir.path, ...keys })
  const client = clientOf(server)
  await client.send(new CreateBucketCommand({ Bucket: target.Bucket }))
  const { UploadId } = await client.send(new CreateMultipartUploadCommand(target))
  const partsThere = async () => (await client.send(new ListPartsCommand({ ...target, UploadId }))).Parts
  for (const [index, leave] of [
    (socket: Socket) => socket.end(),
    (socket: Socket) => socket.resetAndDestroy(),
  ].entries()) {
    const url = await getSignedUrl(client, new UploadPartCommand({ ...target, UploadId, PartNumber: index + 1 }))
    const put = request(url, { method: 'PUT', headers: { 'content-length': partBytes } }).on('error', () => {})
    const [socket] = (await once(put, 'socket')) as [Socket]
    const closed = once(socket, 'close')
    put.write(Buffer.alloc(partBytes / 2, 1), () => leave(socket))
    await closed
    expect(await partsThere()).toBeUndefined()
  }
  await client.send(new UploadPartCommand({ ...target, UploadId, PartNumber: 1, Body: Buffer.alloc(partBytes, 1) }))
  expect(await partsThere()).toHaveLength(1)
})

/** Kills the server during a completion. False if the object existed before the kill. */
async function isInterrupted(server: S3Server, dir: string, completion: Promise<unknown>): Promise<boolean> {
  const isSeen = await isSeenAtWork(dir, completion)
  server.kill()
  await server.exited
  const isError = (await completion) instanceof Error
  return (
    isSeen && isError && (await hasInterrupted(dir)) && !(await exists(join(dir, 'objects', target.Bucket, target.Key)))
  )
}

test('a completion that a kill -9 interrupted can be repeated after the next start, with all bytes', async () => {
  await using dir = await createTemporaryDirectory('dev-stack')
  let first: S3Server
  let client: S3Client
  let upload: Awaited<ReturnType<typeof uploadParts>>
  let completion: Promise<unknown>
  do {
    first = await launchS3({ dataDir: dir.path, ...keys })
    client = clientOf(first)
    await client.send(new CreateBucketCommand({ Bucket: target.Bucket })).catch(() => {})
    await client.send(new DeleteObjectCommand(target))
    upload = await uploadParts(client)
    completion = complete(client, upload).catch((error: Error) => error)
  } while (!(await isInterrupted(first, dir.path, completion)))

  await using second = await launchS3({ dataDir: dir.path, port: first.port, ...keys })
  expect(second.endpoint).toBe(first.endpoint)
  await complete(client, upload)
  const object = await client.send(new GetObjectCommand(target))
  const hash = createHash('sha256')
  for await (const chunk of object.Body as AsyncIterable<Uint8Array>) hash.update(chunk)
  const wanted = createHash('sha256')
  for (const number of partNumbers) wanted.update(Buffer.alloc(partBytes, number))
  expect(hash.digest('hex')).toBe(wanted.digest('hex'))
  expect(object.ContentType).toBe('text/x-test')
})

test('a completion that was killed during cleanup counts as complete, even if some parts remain', async () => {
  await using dir = await createTemporaryDirectory('dev-stack')
  const first = await launchS3({ dataDir: dir.path, ...keys })
  const client = clientOf(first)
  await client.send(new CreateBucketCommand({ Bucket: target.Bucket }))
  const upload = await uploadParts(client)
  await complete(client, upload)
  await first.stop()
  // State after such a kill: the object, and the renamed upload with the parts that were not yet removed.
  const dirName = createHash('sha256').update(target.Key).digest('hex')
  const leftOver = join(target.Bucket, '.sgwtmp/multipart', dirName, `${upload.UploadId}.0123abcd-12.inprogress`)
  await mkdir(join(dir.path, 'objects', leftOver), { recursive: true })
  await writeFile(join(dir.path, 'objects', leftOver, '7'), 'a part')

  await using second = await launchS3({ dataDir: dir.path, port: first.port, ...keys })
  expect(second.endpoint).toBe(first.endpoint)
  await expect(client.send(new ListPartsCommand(upload))).rejects.toThrow(
    expect.objectContaining({ name: 'NoSuchUpload' }),
  )
  const { Uploads } = await client.send(new ListMultipartUploadsCommand({ Bucket: target.Bucket }))
  expect(Uploads ?? []).toEqual([])
  const { ContentLength } = await client.send(new HeadObjectCommand(target))
  expect(ContentLength).toBe(partNumbers.length * partBytes)
})
