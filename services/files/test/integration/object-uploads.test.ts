import { createHash, randomBytes } from 'node:crypto'
import { digestsOf } from '@tideport/digests/digester'
import { createFailpoints } from '@tideport/testing/failpoints'
import { createBucket, s3Environment } from '@tideport/testing/s3'
import { spawnProgram } from '@tideport/testing/spawn-program'
import { describe, expect, it } from 'vitest'
import { setup, sharedBundle } from '../bundle.ts'
import { clientOf, limitedKey } from '../client.ts'
import { makeCold } from '../later-states.ts'
import { uploadsOf } from '../object-uploads.ts'
import { objectsOf } from '../objects.ts'

const MIB = 1024 ** 2
const t = sharedBundle({ env: { OPEN_UPLOADS_MAX: '1000' } })

// biome-ignore lint/suspicious/noExplicitAny: tests look at bodies of every shape
type Json = any

const md5 = (bytes: Buffer | string) => createHash('md5').update(bytes).digest('hex')
const tagOf = (parts: Buffer[]) =>
  `${md5(Buffer.concat(parts.map((part) => createHash('md5').update(part).digest())))}-${parts.length}`
const missing = (what: string) => ({ status: 404, body: { code: 'not_found', details: { missing: what } } })

async function open(visibility: 'public' | 'private' = 'private') {
  const objects = await objectsOf(t, clientOf(t), visibility)
  const { client, vault } = objects
  return {
    ...{ objects, client, vault },
    ...uploadsOf(client, vault.slug),
    usage: async () => (await client.call('GET', '/api/account')).body.usage.storageBytes,
  }
}

const listed = (answers: { body: Json }[]) =>
  answers.map(({ body }, index) => ({ partNumber: index + 1, etag: `"${body.etag}"`, digests: body.digests }))

describe('an upload in parts', () => {
  it.each([
    ['crc32', 'composite'],
    ['sha256', 'composite'],
    ['crc32c', 'full_object'],
    ['crc64nvme', 'full_object'],
  ] as const)('with %s of type %s becomes an object with that digest', async (digestAlgorithm, digestType) => {
    const u = await open()
    const described = { headers: { 'cache-control': 'no-store' }, metadata: { a: 'b' }, tags: { k: 'v=' } }
    const begun = await u.begin('a//b', { ...described, digestAlgorithm, digestType })
    expect(begun).toMatchObject({ status: 201, body: { digestAlgorithm, digestType } })
    const id = begun.body.uploadId
    const parts = [randomBytes(5 * MIB), randomBytes(6 * MIB), Buffer.from('end')]
    const digests = await Promise.all(parts.map((bytes) => digestsOf([digestAlgorithm], bytes)))
    const answers = []
    for (const [index, bytes] of parts.entries())
      answers.push(await u.part('a//b', id, index + 1, bytes, { digests: digests[index], contentMd5: undefined }))
    expect(answers.map(({ status, body }) => [status, body.etag, body.digests])).toEqual(
      parts.map((bytes, index) => [200, md5(bytes), digests[index]]),
    )
    expect(await u.usage()).toBe(11 * MIB + 3)
    const { body: page } = await u.parts('a//b', id, { after: '1', limit: '1' })
    expect(page).toMatchObject({ isTruncated: true, digestAlgorithm, digestType })
    expect(page.parts).toMatchObject([{ partNumber: 2, sizeBytes: 6 * MIB, etag: md5(parts[1] ?? '') }])

    const all = Buffer.concat(parts)
    const raw = Buffer.concat(digests.map((one) => Buffer.from(one[digestAlgorithm] ?? '', 'base64')))
    const whole = await digestsOf([digestAlgorithm], digestType === 'composite' ? raw : all)
    const digest = `${whole[digestAlgorithm]}${digestType === 'composite' ? '-3' : ''}`
    const list = listed(answers)
    const wrong = { digests: { [digestAlgorithm]: digests[0]?.[digestAlgorithm] }, digestType }
    expect(await u.complete('a//b', id, list, wrong)).toMatchObject({ status: 400, body: { code: 'digest_mismatch' } })
    const done = await u.complete('a//b', id, list, { digests: { [digestAlgorithm]: digest }, digestType })
    const object = {
      ...{ key: 'a//b', sizeBytes: all.length, etag: tagOf(parts), partCount: 3, tagCount: 1 },
      ...{ digests: { [digestAlgorithm]: digest }, digestType, headers: described.headers, metadata: { a: 'b' } },
    }
    expect(done).toMatchObject({ status: 200, body: { object } })
    expect(await u.complete('a//b', id, list)).toMatchObject({ status: 200, body: { object } })
    expect((await u.objects.get('a//b')).bytes.equals(all)).toBe(true)
    const second = await u.objects.get('a//b', {}, { partNumber: '2' })
    expect(second).toMatchObject({ status: 206, range: `bytes ${5 * MIB}-${11 * MIB - 1}/${all.length}` })
    expect(second.bytes.equals(parts[1])).toBe(true)
    expect(await u.objects.get('a//b', {}, { partNumber: '4' })).toMatchObject({ status: 416 })
    expect(await u.parts('a//b', id)).toMatchObject(missing('upload'))
  })

  it('refuses what does not fit, and keeps nothing of it', async () => {
    const u = await open()
    const id = await u.open('k', { digestAlgorithm: 'crc32', digestType: 'full_object' })
    const bytes = Buffer.from('some bytes')
    const failed = (code: string) => ({ status: 400, body: { code } })
    for (const [algorithm, type] of [
      ['crc64nvme', 'composite'],
      ['sha1', 'full_object'],
      [null, 'composite'],
    ])
      expect(await u.begin('k', { digestAlgorithm: algorithm, digestType: type })).toMatchObject(
        failed('validation_failed'),
      )
    expect(await u.part('k', id, 1, bytes, { digests: { crc32: 'AAAAAA==' } })).toMatchObject({
      body: { code: 'digest_mismatch', details: { wrong: ['crc32'] } },
    })
    expect(await u.part('k', id, 1, bytes, { contentMd5: 'AAAA' })).toMatchObject({
      body: { details: { wrong: ['content-md5'] } },
    })
    expect(await u.part('k', id, 1, bytes, { digests: { sha1: 'AAAA' } })).toMatchObject(failed('validation_failed'))
    expect(await u.part('k', id, 10_001, bytes)).toMatchObject({ status: 404 })
    expect((await u.parts('k', id)).body.parts).toEqual([])
    expect(await u.usage()).toBe(0)
    const answers = [await u.part('k', id, 1, bytes), await u.part('k', id, 2, bytes)]
    const [first, second] = listed(answers)
    const composite = await u.open('k', { digestAlgorithm: 'sha1' })
    expect(await u.part('k', composite, 1, bytes)).toMatchObject(failed('validation_failed'))
    expect(await u.complete('k', composite, [{ ...first, digests: {} }])).toMatchObject(failed('validation_failed'))
    expect(await u.complete('k', id, [{ ...first, digests: { sha1: 'AAAAAA==' } }])).toMatchObject({
      body: { code: 'digest_mismatch', details: { wrong: ['sha1'] } },
    })
    await u.abort('k', composite)
    // SDKs send checksums to uploads that have none.
    const none = await u.open('k')
    const { crc32 } = await digestsOf(['crc32'], bytes)
    const trailer = Buffer.from(JSON.stringify({ digests: { crc32 } }))
    const trailed = await u.part('k', none, 1, bytes, { wanted: ['crc32'], hasTrailer: true }, trailer)
    expect(trailed).toMatchObject({ status: 200, body: { digests: {} } })
    await u.abort('k', none)
    const faults = [
      [[first, second], 'entity_too_small', { partNumber: 1 }],
      [[second, first], 'invalid_part_order', undefined],
      [[{ ...first, etag: 'none' }], 'invalid_part', { partNumber: 1 }],
      [[{ ...first, partNumber: 3 }], 'invalid_part', { partNumber: 3 }],
    ] as const
    for (const [parts, code, details] of faults) {
      const { status, body } = await u.complete('k', id, [...parts])
      expect([status, body.code]).toEqual([400, code])
      if (details) expect(body.details).toMatchObject(details)
    }
    expect(await u.complete('k', id, [first], { sizeBytes: 3 })).toMatchObject(failed('validation_failed'))
    // The native API knows nothing of its parts.
    expect(await u.client.call('POST', `/api/files/${id}/confirm`)).toMatchObject({ status: 409 })
    expect(await u.client.call('GET', `/api/files/${id}/parts`)).toMatchObject({ body: { code: 'state_conflict' } })
    const urls = { json: { partNumbers: [1] } }
    expect(await u.client.call('POST', `/api/files/${id}/upload-urls`, urls)).toMatchObject({
      body: { code: 'state_conflict' },
    })

    const other = uploadsOf(clientOf(t), u.vault.slug)
    expect(await other.parts('k', id)).toMatchObject(missing('bucket'))
    for (const call of [u.parts('x', id), u.part('x', id, 1, bytes), u.abort('x', id), u.complete('x', id, [first])])
      expect(await call).toMatchObject(missing('upload'))
    expect(await u.part('k', 'none', 1, bytes)).toMatchObject(missing('upload'))
    expect(await u.abort('k', id, { initiated: '2020-01-01T00:00:00.000Z' })).toMatchObject({ status: 412 })
    expect(await u.parts('k', id)).toMatchObject({ status: 200 })
    expect(await u.abort('k', id)).toMatchObject({ status: 200 })
    expect(await u.part('k', id, 1, bytes)).toMatchObject(missing('upload'))
    expect(await u.complete('k', id, [first])).toMatchObject(missing('upload'))
    expect(await u.abort('k', id)).toMatchObject(missing('upload'))
    expect(await u.usage()).toBe(0)
  })

  it('takes its key under conditions, which exactly one of many completions meets', async () => {
    const u = await open()
    const ids = await Promise.all(Array.from({ length: 12 }, () => u.open('k')))
    const all = await Promise.all(
      ids.map(async (id, n) => [id, listed([await u.part('k', id, 1, Buffer.from(`${n}`))])] as const),
    )
    const fresh = await Promise.all(all.map(([id, parts]) => u.complete('k', id, parts, { ifNoneMatch: '*' })))
    const won = fresh.filter(({ status }) => status === 200)
    expect(won).toHaveLength(1)
    expect(fresh.filter(({ status }) => status === 412)).toHaveLength(11)
    const { etag } = won[0]?.body.object ?? {}
    const left = all.filter((_, index) => fresh[index]?.status === 412)
    const updates = await Promise.all(left.map(([id, parts]) => u.complete('k', id, parts, { ifMatch: `"${etag}"` })))
    expect(updates.filter(({ status }) => status === 200)).toHaveLength(1)
    expect(updates.filter(({ status }) => status === 412)).toHaveLength(10)
    const [id, parts] = left[updates.findIndex(({ status }) => status === 412)] ?? ['', []]
    expect(await u.complete('k', id, parts)).toMatchObject({ status: 200 })
    expect((await u.client.call('GET', '/api/account')).body.usage.fileCount).toBe(12)
  })

  it('copies parts of hot and cold objects', async () => {
    const u = await open()
    const bytes = randomBytes(6 * MIB)
    await u.objects.put('source', bytes)
    const { object } = await u.objects.get('source')
    for (const isCold of [false, true]) {
      if (isCold) await makeCold(t, object.fileId)
      for (const digestAlgorithm of [null, 'crc64nvme']) {
        const id = await u.open('copy', { digestAlgorithm })
        const answers = [
          await u.copy('copy', id, 1, { key: 'source' }),
          await u.copy('copy', id, 2, { key: 'source', ifMatch: object.etag }, { start: 2, end: 4 }),
        ]
        expect(answers.map(({ status, body }) => [status, body.etag])).toEqual([
          [200, md5(bytes)],
          [200, md5(bytes.subarray(2, 5))],
        ])
        expect(await u.complete('copy', id, listed(answers))).toMatchObject({ status: 200 })
        const { bytes: copied, object: made } = await u.objects.get('copy')
        const { crc64nvme } = await digestsOf(['crc64nvme'], copied)
        if (digestAlgorithm !== null || isCold) expect(made.digests).toEqual({ crc64nvme })
        expect(copied.equals(Buffer.concat([bytes, bytes.subarray(2, 5)]))).toBe(true)
      }
    }
    const id = await u.open('copy')
    const range = { start: 0, end: bytes.length }
    expect(await u.copy('copy', id, 1, { key: 'source' }, range)).toMatchObject({ status: 416 })
    expect(await u.copy('copy', id, 1, { key: 'none' })).toMatchObject(missing('source_key'))
    expect(await u.copy('copy', id, 1, { slug: 'none', key: 'source' })).toMatchObject(missing('source_bucket'))
    expect(await u.copy('copy', id, 1, { key: 'source', ifNoneMatch: object.etag })).toMatchObject({ status: 412 })
  })

  it('is listed by key, with common prefixes and markers', async () => {
    const u = await open()
    const ids: Record<string, string[]> = {}
    for (const key of ['a', 'd/1', 'd/2', 'd/2', 'e', 'Ü']) ids[key] = [...(ids[key] ?? []), await u.open(key)]
    const namesOf = ({ uploads, prefixes }: Json) => [...uploads.map(({ key }: Json) => key), ...prefixes]
    expect(namesOf(await u.list())).toEqual(['a', 'd/1', 'd/2', 'd/2', 'e', 'Ü'])
    expect(namesOf(await u.list({ prefix: 'd/' }))).toEqual(['d/1', 'd/2', 'd/2'])
    expect(namesOf(await u.list({ delimiter: '/' }))).toEqual(['a', 'e', 'Ü', 'd/'])
    for (const delimiter of ['', '/']) {
      const found: string[] = []
      let markers: Record<string, string> = {}
      for (let isMore = true; isMore; ) {
        const page = await u.list({ delimiter, limit: '1', ...markers })
        found.push(...namesOf(page))
        isMore = page.isTruncated
        markers = { keyMarker: page.nextKeyMarker ?? '', uploadIdMarker: page.nextUploadIdMarker ?? '' }
      }
      expect(found).toEqual(delimiter === '' ? ['a', 'd/1', 'd/2', 'd/2', 'e', 'Ü'] : ['a', 'd/', 'e', 'Ü'])
    }
    expect(await u.list({ limit: '0' })).toMatchObject({ uploads: [], isTruncated: false })
    expect(namesOf(await u.list({ keyMarker: 'd/2' }))).toEqual(['e', 'Ü'])
  })

  it('obeys the limits of keys', async () => {
    const u = await open()
    const vaultId = u.vault.id
    await u.objects.put('in/taken', 'bytes')
    const adder = uploadsOf(
      limitedKey(t, u.client, { vaultIds: [vaultId], prefixes: ['in/'], verbs: ['upload'] }),
      u.vault.slug,
    )
    const outside = { status: 403, body: { code: 'outside_key_limits' } }
    expect(await adder.begin('out/a')).toMatchObject(outside)
    const id = await adder.open('in/a')
    const answer = await adder.part('in/a', id, 1, Buffer.from('bytes'))
    expect((await adder.parts('in/a', id)).body.parts).toHaveLength(1)
    expect(await adder.complete('in/a', id, listed([answer]))).toMatchObject({ status: 200 })
    const taking = await adder.open('in/taken')
    const taken = await adder.part('in/taken', taking, 1, Buffer.from('other'))
    expect(await adder.complete('in/taken', taking, listed([taken]))).toMatchObject(outside)
    expect(await adder.copy('in/taken', taking, 1, { key: 'in/a' })).toMatchObject(outside)
    // Another key that may not read sees neither the upload nor its parts.
    const stranger = uploadsOf(limitedKey(t, u.client, { vaultIds: [vaultId], verbs: ['upload'] }), u.vault.slug)
    expect(await stranger.parts('in/taken', taking)).toMatchObject(missing('upload'))
    const elsewhere = uploadsOf(limitedKey(t, u.client, { vaultIds: [] }), u.vault.slug)
    expect(await elsewhere.begin('in/a')).toMatchObject(missing('bucket'))
  })
})

it('can be completed after the process that stored a part was killed before it recorded the part', async () => {
  await using bucket = await createBucket()
  await using own = await setup({ s3: bucket.settings })
  await using failpoints = await createFailpoints()
  const client = clientOf(own)
  const vault = await client.createVault('crashing', 'private')
  const u = uploadsOf(client, vault.slug)
  const id = await u.open('k')
  const earlier = await u.part('k', id, 1, Buffer.from('earlier'))
  await using dying = spawnProgram(new URL('../../src/main.ts', import.meta.url), {
    ...{ SERVICE_ENV: 'development', FAILPOINT_DIR: failpoints.directory, HOST: '127.0.0.1', PORT: '0' },
    ...{ ADMIN_PORT: '0', DATABASE_URL: own.database.url, NATS_URL: 'nats://127.0.0.1:9' },
    ...{ IDENTITY_TOKEN_PUBLIC_KEYS: own.config.identityTokenPublicKeys, ...s3Environment(bucket.settings) },
    ...{ EMBEDDED_NETWORK_DIR: own.directory.path, PUBLIC_URL: 'https://files.example' },
    DOWNLOAD_TOKEN_KEYS: Buffer.alloc(32, 7).toString('base64'),
  })
  const { address } = await dying.line('listening')
  await failpoints.kill('part.after-store')
  const broken = uploadsOf(clientOf({ ...own, address: String(address) }, client.accountId), vault.slug)
  await expect(broken.part('k', id, 1, Buffer.from('broken'))).rejects.toThrow()
  expect((await dying.ended).signal).toBe('SIGKILL')
  // As after the seconds for which its lease lasts.
  await own.database.sql('update upload_part set committing_until = now()')
  const refused = { status: 400, body: { code: 'invalid_part', details: { partNumber: 1 } } }
  expect(await u.complete('k', id, listed([earlier]))).toMatchObject(refused)
  const again = await u.part('k', id, 1, Buffer.from('again'))
  expect(await u.complete('k', id, listed([again]))).toMatchObject({ status: 200, body: { object: { sizeBytes: 5 } } })
  expect((await client.call('GET', '/api/account')).body.usage).toMatchObject({ storageBytes: 5, fileCount: 1 })
})
