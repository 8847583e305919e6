import { randomBytes } from 'node:crypto'
import { ListObjectsV2Command, PutObjectLockConfigurationCommand } from '@aws-sdk/client-s3'
import { createBucket, startS3 } from '@tideport/testing/s3'
import { describe, expect, it } from 'vitest'
import { openBucket } from '../../src/s3/bucket.ts'
import { abortUploads, beginUpload } from '../../src/s3/multipart-upload.ts'
import { bytesOf } from '../../src/s3/staged-parts.ts'
import { createBucketNetwork, setUpBucket } from '../bucket-network.ts'
import { store } from '../copies.ts'

const signal = new AbortController().signal
const restore = { tier: 'standard', days: 1 } as const
const lock = { mode: 'compliance', days: 30 } as const

describe('s3: set-up of a network', () => {
  it('marks a bucket once, leaves nothing else in it, and can be repeated', async () => {
    await using t = await createBucketNetwork()
    const { Contents = [] } = await t.bucket.client.send(new ListObjectsV2Command({ Bucket: t.bucket.bucket }))
    expect(Contents.map(({ Key }) => Key)).toEqual(['tideport-network.json'])
    expect(await setUpBucket(t.config)).toBe('was_set_up')
  })

  it('explains what is wrong with a bucket, without its secrets', async () => {
    await using t = await createBucketNetwork()
    const of = (different: object) => setUpBucket({ ...t.config, ...different })
    await expect(of({ bucket: 'there-is-none' })).rejects.toThrow(
      /^The bucket there-is-none of the network bucket-a \(http:.*\) cannot be used: .* Create the bucket first\.$/,
    )
    await expect(of({ secretAccessKey: 'wrong-secret' })).rejects.toThrow(/Check its access key/)
    await expect(of({ secretAccessKey: 'wrong-secret' })).rejects.not.toThrow(/wrong-secret/)
    await expect(of({ endpoint: 'http://127.0.0.1:9' })).rejects.toThrow(/Check its endpoint and region/)
    await expect(of({ lock })).rejects.toThrow(/has no Object Lock/)
    await expect(of({ name: 'other' })).rejects.toMatchObject({ fault: 'foreign' })
  })

  it('refuses a bucket with copies that nobody remembers, and one without the remembered copies', async () => {
    await using t = await createBucketNetwork()
    const copy = await store(t.network, randomBytes(30))
    using empty = await createBucket()
    const config = { ...t.config, ...empty.settings }
    await expect(setUpBucket(config, { remembered: [copy] })).rejects.toThrow(/--accept-lost-copies/)
    expect(await setUpBucket(config, { remembered: [copy], acceptLostCopies: true })).toBe('set_up')
    const { client, bucket: Bucket } = t.bucket
    const { DeleteObjectCommand } = await import('@aws-sdk/client-s3')
    await client.send(new DeleteObjectCommand({ Bucket, Key: 'tideport-network.json' }))
    await expect(setUpBucket(t.config)).rejects.toThrow(/contains copies, but the database has no copies/)
    expect(await setUpBucket(t.config, { remembered: [copy] })).toBe('set_up')
  })

  it('accepts a bucket with Object Lock, but not one with a default retention rule', async () => {
    await using server = await startS3({ versions: 'locked' })
    const { client, bucket: Bucket, settings } = server
    const config = { name: 'vault', driver: 's3' as const, ...settings, forcePathStyle: true, restore, lock }
    expect(await setUpBucket(config)).toBe('set_up')
    const DefaultRetention = { Mode: 'GOVERNANCE', Days: 1 } as const
    const ObjectLockConfiguration = { ObjectLockEnabled: 'Enabled', Rule: { DefaultRetention } } as const
    await client.send(new PutObjectLockConfigurationCommand({ Bucket, ObjectLockConfiguration }))
    await expect(setUpBucket(config)).rejects.toThrow(/has a default retention rule/)
  })

  it('aborts incomplete uploads only if they are old and below its prefix', async () => {
    await using t = await createBucketNetwork()
    const bucket = openBucket(t.config)
    const begin = (key: string) => beginUpload(bucket, key, {}, signal)
    const [left, other] = [await begin('content/a_1'), await begin('elsewhere/a_1')]
    await abortUploads(bucket, 'content/', new Date(Date.now() - 60_000), signal)
    const part = bytesOf([randomBytes(10)])
    await left.addPart(part, signal)
    await abortUploads(bucket, 'content/', new Date(Date.now() + 60_000), signal)
    await expect(left.addPart(part, signal)).rejects.toMatchObject({ code: 'staged_lost' })
    await other.addPart(part, signal)
    await left.abort(signal)
  })
})
