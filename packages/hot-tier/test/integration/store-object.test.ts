import { request as forward, type IncomingMessage } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { startFrontOfStore } from '@tideport/testing/front-of-store'
import { createBucket, type TestBucket } from '@tideport/testing/s3'
import { describe, expect, it } from 'vitest'
import { openHotTier } from '../../src/hot-tier.ts'
import { openHotTierListing } from '../../src/listing.ts'

const MIB = 1024 ** 2
const never = new AbortController().signal
const PART_BYTES = 8 * MIB

async function setup() {
  const stack = new AsyncDisposableStack()
  const bucket = stack.use(await createBucket())
  const front = stack.use(await startFrontOfStore(bucket.settings))
  const hotTier = stack.use(openHotTier(configOf(bucket.settings)))
  const listing = stack.use(openHotTierListing(configOf(bucket.settings)))
  const { hostname, port } = new URL(bucket.settings.endpoint)
  const passOn = (
    { method, url: path, headers, socket }: IncomingMessage,
    onAnswer: (answer: IncomingMessage) => void,
  ) => forward({ hostname, port, method, path, headers }, onAnswer).on('error', () => socket.resetAndDestroy())
  return {
    ...{ front, hotTier, passOn },
    key: `hot/${crypto.randomUUID()}/${crypto.randomUUID()}`,
    /** The same bucket through the proxy. */
    behind: stack.use(openHotTier(configOf(front.settings))),
    /** Holds every complete PUT until it is released. */
    holdPuts() {
      const [arrived, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
      front.answerBy((request, response) => {
        if (request.method !== 'PUT') return false
        void buffer(request).then(async (body) => {
          arrived.resolve()
          await released.promise
          const pass = (answer: IncomingMessage) =>
            void answer.pipe(response.writeHead(answer.statusCode ?? 502, answer.headers))
          passOn(request, pass).end(body)
        })
        return true
      })
      return { arrived: arrived.promise, release: () => released.resolve() }
    },
    async openUploads() {
      let count = 0
      for await (const _upload of listing.uploads()) count += 1
      return count
    },
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  }
}

function configOf({ endpoint, region, bucket, accessKeyId, secretAccessKey }: TestBucket['settings']) {
  const keys = { awsAccessKeyId: accessKeyId, awsSecretAccessKey: secretAccessKey }
  return { s3Endpoint: endpoint, s3Region: region, s3Bucket: bucket, s3ForcePathStyle: true, ...keys }
}

describe('own bytes in the hot tier', () => {
  it.each([1, 3 * PART_BYTES])('leave nothing when the body fails after %d bytes', async (sizeBytes) => {
    await using t = await setup()
    const failure = new Error('broken off')
    async function* body() {
      yield Buffer.alloc(sizeBytes)
      throw failure
    }
    await expect(t.hotTier.store(t.key, { mimeType: 'image/png', body: body() }, never)).rejects.toBe(failure)
    expect([await t.hotTier.head(t.key), await t.openUploads()]).toEqual([null, 0])
  })

  it('leave nothing when the caller stops in the middle', async () => {
    await using t = await setup()
    const stop = new AbortController()
    async function* body() {
      for (let part = 0; part < 3; part++) yield Buffer.alloc(PART_BYTES)
      stop.abort()
      yield Buffer.alloc(1)
    }
    const stored = t.hotTier.store(t.key, { mimeType: 'image/png', body: body() }, stop.signal)
    await expect(stored).rejects.toMatchObject({ name: 'AbortError' })
    expect([await t.hotTier.head(t.key), await t.openUploads()]).toEqual([null, 0])
  })

  it('are read at most one part ahead of the part that is being sent', async () => {
    await using t = await setup()
    let readBytes = 0
    async function* body() {
      for (; readBytes < 24 * MIB; readBytes += MIB) yield Buffer.alloc(MIB)
    }
    const puts = t.holdPuts()
    const stored = t.behind.store(t.key, { mimeType: 'image/png', body: body() }, never)
    await puts.arrived
    expect(readBytes).toBeLessThanOrEqual(2 * PART_BYTES)
    puts.release()
    await stored
    expect(await t.hotTier.head(t.key)).toBe(24 * MIB)
  })

  it('exist when the response to their completion is lost and the store then reports no such upload', async () => {
    await using t = await setup()
    let completions = 0
    t.front.answerBy((request, response) => {
      if (request.method !== 'POST' || !request.url?.includes('uploadId=')) return false
      completions += 1
      if (completions > 1) {
        response.writeHead(404).end('<Error><Code>NoSuchUpload</Code></Error>')
        return true
      }
      const lose = (answer: IncomingMessage) => void answer.resume().on('end', () => request.socket.resetAndDestroy())
      request.pipe(t.passOn(request, lose))
      return true
    })
    async function* body() {
      yield Buffer.alloc(PART_BYTES + 1)
    }
    await t.behind.store(t.key, { mimeType: 'image/png', body: body() }, never)
    expect(completions).toBe(2)
    expect([await t.hotTier.head(t.key), await t.openUploads()]).toEqual([PART_BYTES + 1, 0])
  })

  it.each([5, 2 * PART_BYTES])(
    'do not reappear when their key is cleared while %d parts are being sent',
    async (sizeBytes) => {
      await using t = await setup()
      async function* body() {
        yield Buffer.alloc(sizeBytes)
      }
      const puts = t.holdPuts()
      const stored = t.behind.store(t.key, { mimeType: 'image/png', body: body() }, never)
      stored.catch(() => undefined)
      await puts.arrived
      await t.hotTier.abortUploads(t.key)
      await t.hotTier.remove(t.key)
      puts.release()
      await stored.catch(() => undefined)
      expect(await t.hotTier.head(t.key)).toBeNull()
    },
  )
})
