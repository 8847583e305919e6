import { createHash } from 'node:crypto'
import { digestsOf } from '@tideport/digests/digester'
import { describe, expect, it } from 'vitest'
import { sharedBundle } from '../bundle.ts'
import { clientOf, limitedKey } from '../client.ts'
import { objectCalls, objectsOf } from '../objects.ts'

const MIB = 1024 ** 2
const t = sharedBundle({
  env: { DIRECT_UPLOAD_MAX_BYTES: `${2 * MIB}`, DIRECT_UPLOAD_MEMORY_BYTES: `${4 * MIB}`, OPEN_UPLOADS_MAX: '1000' },
})

const md5 = (bytes: Buffer | string) => createHash('md5').update(bytes).digest('hex')
const uploads = (accountId: string) =>
  t.database.sql(`select id from file where account_id = $1 and status = 'uploading' and purging_at is null`, [
    accountId,
  ])

describe('a conditional write', () => {
  it('succeeds once among concurrent writers', async () => {
    const objects = await objectsOf(t)
    const first = await Promise.all(
      Array.from({ length: 20 }, (_, index) => objects.put('k', `${index}`, { ifNoneMatch: '*' })),
    )
    expect(first.filter(({ status }) => status === 200)).toHaveLength(1)
    expect(first.filter(({ status }) => status === 412)).toHaveLength(19)
    const { etag } = (await objects.get('k')).object
    const next = await Promise.all(
      Array.from({ length: 50 }, (_, index) => objects.put('k', `next ${index}`, { ifMatch: etag })),
    )
    expect(next.filter(({ status }) => status === 200)).toHaveLength(1)
    expect(next.filter(({ status }) => status === 412)).toHaveLength(49)
    const winner = next.find(({ status }) => status === 200)
    expect((await objects.get('k')).object.etag).toBe(winner.object.etag)
    expect(await objects.put('missing', 'x', { ifMatch: etag })).toMatchObject({
      status: 404,
      details: { missing: 'key' },
    })
    expect(await objects.put('k', 'x', { ifMatch: 'x' })).toMatchObject({
      status: 412,
      details: { etag: `"${winner.object.etag}"` },
    })
    expect(await objects.remove('k', { ifMatch: 'x' })).toMatchObject({ status: 412 })
    expect(await objects.remove('k', { ifMatch: winner.object.etag })).toMatchObject({ deleted: true })
    expect(await uploads(objects.client.accountId)).toEqual([])
  })
})

describe('deletion of many keys', () => {
  it('reports each key, and leaves those that do not meet their conditions', async () => {
    const objects = await objectsOf(t)
    const { object } = await objects.put('a', '1')
    for (const key of ['b', 'c', 'd/']) await objects.put(key, key === 'd/' ? '' : '2')
    const asked = [
      { key: 'a', ifMatch: object.etag },
      { key: 'b', ifMatch: 'x' },
      { key: 'c', sizeBytes: 9 },
      { key: 'd/' },
      { key: 'missing' },
    ]
    const { results } = await objects.removeMany(asked)
    expect(results.map(({ code }: { code: string }) => code)).toEqual([
      null,
      'precondition_failed',
      'precondition_failed',
      null,
      null,
    ])
    const left = await Promise.all(['a', 'b', 'c', 'd/'].map(async (key) => (await objects.get(key)).status))
    expect(left).toEqual([404, 200, 200, 404])
    expect((await objects.client.call('GET', '/api/trash')).body.files).toHaveLength(1)
  })
})

describe('a copy', () => {
  it('keeps or replaces the description, also of the key itself, and adds digests', async () => {
    const objects = await objectsOf(t)
    const bytes = Buffer.alloc(300_000, 'copy')
    const { object } = await objects.put('a', bytes, {
      metadata: { a: '1' },
      tags: { t: '1' },
      headers: { expires: '0' },
      wanted: ['sha1'],
    })
    const kept = (await objects.copy('b', { key: 'a' })).object
    expect(kept).toMatchObject({
      key: 'b',
      etag: object.etag,
      metadata: { a: '1' },
      tagCount: 1,
      headers: { expires: '0' },
      digests: object.digests,
    })
    const replace = { mimeType: 'image/png', headers: {}, metadata: { b: '2' } }
    const own = (await objects.copy('a', { key: 'a' }, { replace, tags: {}, wanted: ['crc64nvme'] })).object
    expect(own).toMatchObject({
      mimeType: 'image/png',
      metadata: { b: '2' },
      headers: {},
      tagCount: 0,
      digests: await digestsOf(['crc64nvme'], bytes),
    })
    for (const key of ['a', 'b']) expect((await objects.get(key)).bytes.equals(bytes)).toBe(true)
    expect(await objects.copy('c', { key: 'a', ifMatch: 'x' })).toMatchObject({ status: 412 })
    expect(await objects.copy('c', { key: 'a', ifNoneMatch: own.etag })).toMatchObject({ status: 412 })
    expect(await objects.copy('b', { key: 'a' }, { ifNoneMatch: '*' })).toMatchObject({ status: 412 })
    expect(await objects.copy('c', { key: 'x' })).toMatchObject({ status: 404, details: { missing: 'source_key' } })
    expect(await objects.copy('c', { key: 'a', slug: 'x' })).toMatchObject({
      status: 404,
      details: { missing: 'source_bucket' },
    })
    expect(await uploads(objects.client.accountId)).toEqual([])
  })
})

describe('tags', () => {
  it('are replaced as a set', async () => {
    const objects = await objectsOf(t)
    await objects.put('k', 'x')
    await objects.putTags('k', { 'a%3D': '=', b: 'x' })
    expect(await objects.tags('k')).toEqual({ tags: { 'a%3D': '=', b: 'x' } })
    await objects.putTags('k', {})
    expect(await objects.tags('k')).toEqual({ tags: {} })
    expect(await objects.putTags('missing', {})).toMatchObject({ status: 404, details: { missing: 'key' } })
  })
})

describe('limits of a key', () => {
  it('hold for vaults, prefixes, verbs, and bytes', async () => {
    const owner = await objectsOf(t)
    await owner.put('in/a', 'abc')
    await owner.put('out/b', 'abc')
    const as = (limits: object) => objectCalls(limitedKey(t, owner.client, limits), owner.slug)
    const elsewhere = as({ vaultIds: [owner.client.accountId] })
    expect(await elsewhere.get('in/a')).toMatchObject({ status: 404 })
    expect(await elsewhere.put('in/a', 'x')).toMatchObject({ status: 404, details: { missing: 'bucket' } })
    const within = as({ prefixes: ['in/'] })
    expect(await within.get('in/a')).toMatchObject({ status: 200 })
    expect(await within.get('out/b')).toMatchObject({ status: 404 })
    expect(await within.put('out/c', 'x')).toMatchObject({ status: 403, code: 'outside_key_limits' })
    expect(await within.put('in/../out/c', 'x')).toMatchObject({ status: 200 })
    expect(await within.copy('in/c', { key: 'out/b' })).toMatchObject({
      status: 404,
      details: { missing: 'source_key' },
    })
    expect(await within.remove('out/b')).toMatchObject({ status: 403 })
    const { results } = await within.removeMany([{ key: 'in/a' }, { key: 'out/b' }])
    expect(results.map(({ code }: { code: string }) => code)).toEqual([null, 'outside_key_limits'])
    const uploader = as({ verbs: ['upload'] })
    expect(await uploader.put('in/new', 'x')).toMatchObject({ status: 200 })
    expect(await uploader.put('in/new', 'y')).toMatchObject({ status: 403, details: { requiredVerb: 'delete' } })
    expect(await uploader.put('in/new', 'y', { ifMatch: md5('x') })).toMatchObject({
      status: 403,
      details: { requiredVerb: 'read' },
    })
    expect(await uploader.put('in/new', 'y', { ifNoneMatch: '*' })).toMatchObject({ status: 412 })
    expect(JSON.stringify(await uploader.put('in/new', 'y', { ifNoneMatch: '*' }))).not.toContain(md5('x'))
    expect(await uploader.copy('in/d', { key: 'out/b' })).toMatchObject({ status: 403 })
    for (const call of [
      () => uploader.get('in/new'),
      () => uploader.remove('in/new'),
      () => uploader.putTags('in/new', {}),
    ])
      expect(await call()).toMatchObject({ status: 403 })
    const budgets = [{ id: owner.client.accountId, bytesPerDay: 5 }]
    const small = as({ budgets })
    expect(await small.put('in/s', 'abcd')).toMatchObject({ status: 200 })
    expect(await small.get('in/s')).toMatchObject({ status: 429, code: 'key_bytes_spent' })
    const stranger = objectCalls(clientOf(t), owner.slug)
    expect(await stranger.get('out/b')).toMatchObject({ status: 404 })
    expect(await stranger.put('out/b', 'x')).toMatchObject({ status: 404, details: { missing: 'bucket' } })
  })
})
