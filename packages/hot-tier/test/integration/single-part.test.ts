import { randomBytes } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { createBucket } from '@tideport/testing/s3'
import { expect, it } from 'vitest'
import { openHotTier } from '../../src/hot-tier.ts'

const MIB = 1024 ** 2
const never = new AbortController().signal

async function open() {
  const stack = new AsyncDisposableStack()
  const { settings } = stack.use(await createBucket())
  const hotTier = stack.use(
    openHotTier({
      s3Endpoint: settings.endpoint,
      s3Region: settings.region,
      s3Bucket: settings.bucket,
      s3ForcePathStyle: true,
      awsAccessKeyId: settings.accessKeyId,
      awsSecretAccessKey: settings.secretAccessKey,
    }),
  )
  return { hotTier, [Symbol.asyncDispose]: () => stack.disposeAsync() }
}

async function* piecesOf(bytes: Buffer, pieceBytes: number, failAfter = Number.POSITIVE_INFINITY) {
  for (let at = 0; at < bytes.length; at += pieceBytes) {
    if (at >= failAfter) throw new Error('The sender failed')
    await delay(0)
    yield bytes.subarray(at, at + pieceBytes)
  }
}

it('stores streamed and copied parts, and keeps nothing of a stream that fails', async () => {
  await using t = await open()
  const { hotTier } = t
  const bytes = randomBytes(6 * MIB)
  const key = 'hot/one'
  const place = { key, uploadId: await hotTier.beginUpload(key, 'text/plain'), partNumber: 1 }

  const broken = { stream: piecesOf(bytes, 64 * 1024, 5 * MIB), sizeBytes: bytes.length }
  await expect(hotTier.putPart(place, broken, never)).rejects.toThrow('The sender failed')
  expect(await hotTier.findPart(place)).toBeNull()

  const etag = await hotTier.putPart(place, { stream: piecesOf(bytes, 64 * 1024), sizeBytes: bytes.length }, never)
  expect(await hotTier.findPart(place)).toEqual({ partNumber: 1, sizeBytes: bytes.length, etag })
  expect(await hotTier.findPart({ ...place, partNumber: 2 })).toBeNull()

  const source = 'hot/source'
  await hotTier.store(source, { mimeType: 'text/plain', body: piecesOf(bytes, MIB) }, never)
  const range = { start: 1, end: 3 }
  expect(await hotTier.copyPart({ ...place, partNumber: 3 }, { from: source, range }, never)).not.toBeNull()
  expect(await hotTier.copyPart({ ...place, partNumber: 4 }, { from: 'hot/none', range }, never)).toBeNull()

  const parts = await hotTier.listParts(key, place.uploadId)
  expect(parts?.map(({ partNumber, sizeBytes }) => [partNumber, sizeBytes])).toEqual([
    [1, bytes.length],
    [3, 3],
  ])
  expect(await hotTier.complete(key, place.uploadId, parts ?? [], never)).toBe('answered')
  const stored = await (await hotTier.open(key, undefined, never))?.toArray()
  expect(Buffer.concat(stored ?? []).equals(Buffer.concat([bytes, bytes.subarray(1, 4)]))).toBe(true)
  const gone = { stream: piecesOf(bytes, 64 * 1024), sizeBytes: bytes.length }
  expect(await hotTier.putPart(place, gone, never)).toBeNull()
})
