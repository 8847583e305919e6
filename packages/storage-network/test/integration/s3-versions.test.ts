import { randomBytes } from 'node:crypto'
import { DeleteObjectCommand, ListObjectVersionsCommand, PutObjectCommand } from '@aws-sdk/client-s3'
import { startFrontOfStore } from '@tideport/testing/front-of-store'
import { describe, expect, it } from 'vitest'
import { contentOf } from '../../src/s3/keys.ts'
import { type BucketNetwork, createBucketNetwork } from '../bucket-network.ts'
import { codeOf, factsOf, read, store } from '../copies.ts'

const signal = new AbortController().signal
const MIB = 1024 * 1024
const DAY_MS = 86_400_000

/** Leases expire at full seconds. */
const secondsNow = () => Math.floor(Date.now() / 1000) * 1000

/** Expects a lease of `days` days from a moment between `before` and now. */
function expectLease(expiresAt: Date | null, days: number, before: number) {
  const since = (expiresAt?.getTime() ?? 0) - days * DAY_MS
  expect(since).toBeGreaterThanOrEqual(before)
  expect(since).toBeLessThanOrEqual(Date.now())
}
const lock = { mode: 'governance', days: 30 } as const

async function versionsIn({ bucket: { client, bucket: Bucket } }: BucketNetwork) {
  const { Versions = [], DeleteMarkers = [] } = await client.send(new ListObjectVersionsCommand({ Bucket }))
  const isCopy = ({ Key }: { Key?: string | undefined }) => Key !== 'tideport-network.json'
  return { versions: Versions.filter(isCopy), markers: DeleteMarkers.filter(isCopy) }
}

describe('s3: a bucket with versions', () => {
  it('returns the stored version after the object was overwritten or deleted', async () => {
    await using t = await createBucketNetwork({ versions: 'kept' })
    const { client, bucket: Bucket } = t.bucket
    const bytes = randomBytes(300)
    const copy = await store(t.network, bytes)
    const { key: Key } = contentOf(copy)
    await client.send(new PutObjectCommand({ Bucket, Key, Body: 'encrypted, pay here' }))
    expect((await read(t.open(), copy)).equals(bytes)).toBe(true)
    await client.send(new DeleteObjectCommand({ Bucket, Key }))
    expect((await read(t.open(), copy)).equals(bytes)).toBe(true)
    expect(await t.network.prove(copy, factsOf(bytes), signal)).toMatchObject({ ok: true })
  })

  it('keeps no version of a removed copy, even after repeated stores', async () => {
    await using t = await createBucketNetwork({ versions: 'kept' })
    for (const size of [300, 2 * MIB]) {
      const bytes = randomBytes(size)
      const copy = await store(t.network, bytes)
      await store(t.network, bytes, copy.reference)
      expect(await t.network.remove(copy, signal)).toEqual({ outcome: 'released' })
      expect(await versionsIn(t)).toEqual({ versions: [], markers: [] })
    }
  })

  it('reports a copy as removed only if it could list its versions', async () => {
    await using t = await createBucketNetwork({ versions: 'kept' })
    await using front = await startFrontOfStore(t.bucket.settings)
    const network = t.open({ endpoint: front.settings.endpoint })
    const copy = await store(network, randomBytes(300))
    front.answerBy(({ url = '' }, response) => {
      if (!url.includes('versions=')) return false
      response.writeHead(200, { 'content-length': 6 }).end('<html>')
      return true
    })
    expect(await codeOf(network.remove(copy, signal))).toBe('unreachable')
    front.pass()
    expect(await network.remove(copy, signal)).toEqual({ outcome: 'released' })
    expect(await versionsIn(t)).toEqual({ versions: [], markers: [] })
  })
})

describe('s3: a bucket with Object Lock', () => {
  it('keeps a copy until its lease expires, reports the expiry, and hides removed copies', async () => {
    await using t = await createBucketNetwork({ versions: 'locked' }, { lock })
    for (const size of [300, 2 * MIB, 17 * MIB]) {
      const bytes = randomBytes(size)
      const before = secondsNow()
      const copy = await store(t.network, bytes)
      const { expiresAt } = (await t.network.prove(copy, factsOf(bytes), signal)) as { expiresAt: Date }
      expectLease(expiresAt, 30, before)
      for (let time = 0; time < 3; time++) {
        expect(await t.network.remove(copy, signal)).toEqual({ outcome: 'expires', expiresAt })
      }
      const { versions, markers } = await versionsIn(t)
      const objects = size > MIB ? 2 : 1
      expect(versions.filter(({ Key = '' }) => Key.includes(copy.reference))).toHaveLength(objects)
      expect(markers.filter(({ Key = '' }) => Key.includes(copy.reference))).toHaveLength(objects)
      expect(
        (await read(t.open(), { ...copy, ref: copy.ref }, { start: 0, end: 9 }).catch(() => null)) ?? null,
      ).toSatisfy((part: Buffer | null) => part === null || part.equals(bytes.subarray(0, 10)))
    }
    const listed = []
    for await (const one of t.network.references(signal)) listed.push(one)
    expect(listed).toEqual([])
  })

  it('extends a lease at renewal according to the current settings', async () => {
    await using t = await createBucketNetwork({ versions: 'locked' }, { lock })
    const bytes = randomBytes(2 * MIB)
    const copy = await store(t.network, bytes)
    const before = secondsNow()
    const { expiresAt } = await t.open({ lock: { ...lock, days: 60 } }).renew(copy, signal)
    expectLease(expiresAt, 60, before)
    expect(await t.network.stat(copy, signal)).toEqual({ state: 'present', sizeBytes: bytes.length, expiresAt })
    // The settings now have fewer days. A longer lock needs no renewal and cannot be shortened.
    expect(await t.network.renew(copy, signal)).toEqual({ expiresAt })
    expect(await t.network.remove(copy, signal)).toEqual({ outcome: 'expires', expiresAt })
  })

  it("does not accept a proxy's page as proof that a copy is not locked", async () => {
    await using t = await createBucketNetwork({ versions: 'locked' }, { lock })
    await using front = await startFrontOfStore(t.bucket.settings)
    const network = t.open({ endpoint: front.settings.endpoint })
    const bytes = randomBytes(300)
    const copy = await store(network, bytes)
    front.answerBy(({ url = '' }, response) => {
      if (!url.includes('retention=')) return false
      response.writeHead(200, { 'content-length': 6 }).end('<html>')
      return true
    })
    expect(await codeOf(network.stat(copy, signal))).toBe('unreachable')
    expect(await codeOf(network.prove(copy, factsOf(bytes), signal))).toBe('unreachable')
    front.pass()
    expect(await network.stat(copy, signal)).toMatchObject({ state: 'present', expiresAt: expect.any(Date) })
  })
})
