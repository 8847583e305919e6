import { randomBytes } from 'node:crypto'
import { GetObjectCommand, HeadObjectCommand, ListObjectsV2Command, PutObjectCommand } from '@aws-sdk/client-s3'
import { log, must, never } from '@tideport/file-lifecycle/testing/bundle'
import type { TestBucket } from '@tideport/testing/s3'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { finishObjects, moveObjects } from '../../src/move-out/move-objects.ts'
import { type Database, finishRows, moveRows, prepareRows } from '../../src/move-out/move-rows.ts'
import { type Drill, definitionsOf, readAll, rowsOf, setupDrill } from '../drill.ts'

const context = { log, signal: never, print: () => undefined }

const databaseOf = (adminUrl: string, env: Record<string, string | undefined>): Database => ({
  adminUrl,
  urls: {
    auth: env.AUTH_DATABASE_URL as string,
    files: env.DATABASE_URL as string,
    webhooks: env.WEBHOOKS_DATABASE_URL as string,
  },
})

const hotTierOf = ({ settings }: Pick<TestBucket, 'settings'>) => ({
  s3Endpoint: settings.endpoint,
  s3Region: settings.region,
  s3Bucket: settings.bucket,
  s3ForcePathStyle: true,
  awsAccessKeyId: settings.accessKeyId,
  awsSecretAccessKey: settings.secretAccessKey,
})

async function objectsOf({ client, bucket: Bucket }: Pick<TestBucket, 'client' | 'bucket'>) {
  const { Contents = [] } = await client.send(new ListObjectsV2Command({ Bucket, Prefix: 'hot/' }))
  const objects = Contents.map(async ({ Key }) => {
    const { ContentType, ETag, ContentLength } = await client.send(new HeadObjectCommand({ Bucket, Key }))
    return { Key, ContentType, ContentLength, ETag: (ContentLength ?? 0) > 1024 ** 2 ? '' : ETag }
  })
  return await Promise.all(objects)
}

describe('a move of an installation to other servers', () => {
  let drill: Drill
  beforeAll(async () => {
    drill = await setupDrill()
  })
  afterAll(() => drill[Symbol.asyncDispose]())

  it('copies every row and object, continues with what changed since an interruption, and then refuses more', async () => {
    const { t, env, emptyServers } = drill
    const kept = await t.hotFile('kept')
    const deleted = await t.hotFile('deleted later')
    await t.coldFile('cold')
    await t.provedFile(randomBytes(3_000_000).toString('base64'))
    await using other = await emptyServers()
    const from = databaseOf(t.database.adminUrl, { ...t.env, ...env })
    const to = databaseOf(other.admin, other.env)
    const id = `move-out ${await prepareRows(from, context)}`
    const buckets = { from: hotTierOf(t.bucket), to: hotTierOf(other.bucket), databaseUrl: from.urls.files, id }

    expect(await moveObjects(buckets, context)).toMatchObject({ objects: 3 })
    await moveRows({ from, to, id }, context)
    // The installation was in use again, because the move did not end.
    await t.purge(deleted)
    await t.hotFile('new')
    expect(await moveObjects(buckets, context)).toMatchObject({ objects: 3 })
    expect(await moveRows({ from, to, id }, context)).toBeGreaterThan(5)
    expect(await objectsOf(other.bucket)).toEqual(await objectsOf(t.bucket))
    expect(await rowsOf(other.admin)).toEqual(await rowsOf(t.database.adminUrl))
    expect(await definitionsOf(other.admin)).toEqual(await definitionsOf(t.database.adminUrl))
    const moved = { DATABASE_URL: other.env.DATABASE_URL, S3_BUCKET: other.bucket.bucket }
    expect(await readAll({ ...t.env, ...env, ...moved })).toEqual(await readAll({ ...t.env, ...env }))

    await finishObjects(buckets, never)
    await finishRows(to, id)
    await expect(moveObjects(buckets, context)).rejects.toThrow(/The bucket .* is not empty/)
    await expect(moveRows({ from, to, id }, context)).rejects.toThrow(/The schema files is not empty/)
    expect(await t.read(kept.id)).toMatchObject({ status: 'hot' })
  })

  it('names a damaged object, and copies all others', async () => {
    const { t, env, emptyServers } = drill
    const damaged = await t.provedFile('good bytes')
    await t.hotFile('another one')
    const { client, bucket: Bucket } = t.bucket
    const Key = must(damaged.hotKey)
    const put = (Body: string) => client.send(new PutObjectCommand({ Bucket, Key, Body }))
    await put('bad  bytes')
    await using other = await emptyServers()
    const { urls } = databaseOf(t.database.adminUrl, { ...t.env, ...env })
    const buckets = { from: hotTierOf(t.bucket), to: hotTierOf(other.bucket), databaseUrl: urls.files, id: 'one' }
    await expect(moveObjects(buckets, context)).rejects.toThrow(`1 objects do not match their checksums: ${Key}.`)
    await expect(moveObjects({ ...buckets, id: 'two' }, context)).rejects.toThrow(/is not empty/)
    await put('good bytes')
    const { objects } = await moveObjects(buckets, context)
    expect(objects).toBe((await objectsOf(t.bucket)).length)
    const moved = await other.bucket.client.send(new GetObjectCommand({ Bucket: other.bucket.bucket, Key }))
    expect(await moved.Body?.transformToString()).toBe('good bytes')
  })
})
