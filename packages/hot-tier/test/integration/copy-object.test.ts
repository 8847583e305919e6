import { buffer } from 'node:stream/consumers'
import { createBucket, type TestBucket } from '@tideport/testing/s3'
import { expect, it } from 'vitest'
import { openHotTier } from '../../src/hot-tier.ts'
import { openHotTierListing } from '../../src/listing.ts'
import { createStoreCalls } from '../../src/store-calls.ts'
import { copyObject } from '../../src/write-object.ts'

const MIB = 1024 ** 2
const never = new AbortController().signal

function configOf({ endpoint, region, bucket, accessKeyId, secretAccessKey }: TestBucket['settings']) {
  const keys = { awsAccessKeyId: accessKeyId, awsSecretAccessKey: secretAccessKey }
  return { s3Endpoint: endpoint, s3Region: region, s3Bucket: bucket, s3ForcePathStyle: true, ...keys }
}

it.each([
  ['in one call', { wholeBytes: 11 * MIB, partBytes: 5 * MIB }],
  ['in parts', { wholeBytes: MIB, partBytes: 5 * MIB }],
])('the store copies an object %s, and reports a missing object', async (_how, sizes) => {
  await using bucket = await createBucket()
  const config = configOf(bucket.settings)
  using hotTier = openHotTier(config)
  const { accessKeyId, secretAccessKey } = bucket.settings
  using calls = createStoreCalls(config, async () => ({ accessKeyId, secretAccessKey }))
  const bytes = Buffer.concat([Buffer.alloc(6 * MIB, 'a'), Buffer.alloc(5 * MIB - 7, 'b')])
  const [from, to] = [`hot/${crypto.randomUUID()}/from`, `hot/${crypto.randomUUID()}/to`]
  async function* body() {
    yield bytes
  }
  await hotTier.store(from, { mimeType: 'text/x-test', body: body() }, never)
  const copy = (source: string) =>
    copyObject(
      calls,
      to,
      { source: `/${bucket.settings.bucket}/${source}`, sizeBytes: bytes.length, mimeType: 'text/x-test' },
      never,
      sizes,
    )
  expect(await copy('hot/not/there')).toBe(false)
  expect(await hotTier.head(to)).toBeNull()
  expect(await copy(from)).toBe(true)
  await hotTier.remove(from)
  const copied = await hotTier.open(to, undefined, never)
  expect(copied && (await buffer(copied)).equals(bytes)).toBe(true)
  using listing = openHotTierListing(config)
  for await (const upload of listing.uploads()) throw new Error(`An upload is open: ${JSON.stringify(upload)}`)
})
