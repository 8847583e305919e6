import { createHash } from 'node:crypto'
import { crc32 } from 'node:zlib'
import { KEPT_FOLDERS_MAX } from '@tideport/bulk-jobs/operations/kept-folders'
import { digestsOf } from '@tideport/digests/digester'
import { waitFor } from '@tideport/testing/wait-for'
import { describe, expect, it } from 'vitest'
import { sharedBundle } from '../bundle.ts'
import { clientOf } from '../client.ts'
import { cutPut, objectCalls, objectsOf } from '../objects.ts'

const MIB = 1024 ** 2
const t = sharedBundle({
  env: { DIRECT_UPLOAD_MAX_BYTES: `${2 * MIB}`, DIRECT_UPLOAD_MEMORY_BYTES: `${4 * MIB}`, OPEN_UPLOADS_MAX: '1000' },
})

const md5 = (bytes: Buffer | string) => createHash('md5').update(bytes).digest('hex')
const crcOf = (bytes: Buffer) => {
  const value = Buffer.alloc(4)
  value.writeUInt32BE(crc32(bytes))
  return value.toString('base64')
}
const uploads = (accountId: string) =>
  t.database.sql(`select id from file where account_id = $1 and status = 'uploading' and purging_at is null`, [
    accountId,
  ])

describe('an object', () => {
  // 20 MiB exceeds the memory of all uploads.
  it.each([0, 1, 70_000, MIB + 1, 20 * MIB])('of %i bytes is a file with all its digests', async (size) => {
    const objects = await objectsOf(t)
    const bytes = Buffer.alloc(size, 'tideport')
    const digests = await digestsOf(['crc64nvme', 'sha1', 'xxhash128'], bytes)
    const sent = {
      metadata: { mtime: '1.5', Ünï: 'ö' },
      headers: { 'cache-control': 'no-store' },
      tags: { 'a=b%': 'c=d', e: '' },
    }
    const { object } = await objects.put('a/b c', bytes, {
      ...sent,
      wanted: Object.keys(digests),
      digests: { sha1: digests.sha1 },
    })
    expect(object).toMatchObject({
      key: 'a/b c',
      sizeBytes: size,
      etag: md5(bytes),
      digests,
      digestType: 'full_object',
    })
    expect(object).toMatchObject({
      mimeType: 'text/plain',
      metadata: sent.metadata,
      headers: sent.headers,
      tagCount: 2,
    })
    expect(await objects.tags('a/b c')).toEqual({ tags: sent.tags })
    const read = await objects.get('a/b c')
    expect([read.status, read.length, read.object]).toEqual([200, String(size), object])
    expect(read.bytes.equals(bytes)).toBe(true)
    const { body } = await objects.client.call('GET', `/api/files/${object.fileId}`)
    const sha256 = createHash('sha256').update(bytes).digest('hex')
    expect(body).toMatchObject({ status: 'hot', path: 'a/b c', checksumSha256: sha256, metadata: sent.metadata })
    const events = await t.database.sql('select type from event where subject_id = $1', [object.fileId])
    expect(events).toEqual([{ type: 'file.hot' }])
    const { usage } = (await objects.client.call('GET', '/api/account')).body
    expect(usage).toMatchObject({ storageBytes: size, hotBytes: size, fileCount: 1 })
    expect(await uploads(objects.client.accountId)).toEqual([])
  })

  it.each([10, 3 * MIB])(
    'of %i bytes is refused for wrong digests, trailers, and lengths, and nothing is stored',
    async (size) => {
      const objects = await objectsOf(t)
      const bytes = Buffer.alloc(size, 'x')
      const wrong = { crc32: crcOf(Buffer.from('y')), sha256: Buffer.alloc(32).toString('base64') }
      const refused = async (object: object, options?: object) => {
        const { status, code, details } = await objects.put('k', bytes, object, options)
        return [status, code, details?.wrong]
      }
      expect(await refused({ digests: wrong })).toEqual([400, 'digest_mismatch', ['sha256', 'crc32']])
      expect(await refused({ contentMd5: 'AAAA' })).toEqual([400, 'digest_mismatch', ['content-md5']])
      expect(await refused({ contentSha256: '00' })).toEqual([400, 'digest_mismatch', ['content-sha256']])
      expect(await refused({ wanted: ['crc32'] }, { trailer: { digests: { crc32: wrong.crc32 } } })).toEqual([
        400,
        'digest_mismatch',
        ['crc32'],
      ])
      // A trailer with a digest that was not announced cannot be verified.
      expect(await refused({}, { trailer: { digests: { crc32: crcOf(bytes) } } })).toEqual([
        400,
        'digest_mismatch',
        ['crc32'],
      ])
      expect(await refused({}, { trailer: 'x' })).toEqual([400, 'validation_failed', undefined])
      expect(await refused({}, { trailer: { digests: {}, more: 'x'.repeat(5000) } })).toEqual([
        400,
        'validation_failed',
        undefined,
      ])
      expect(await refused({}, { sizeBytes: size + 1 })).toEqual([400, 'validation_failed', undefined])
      expect(await refused({}, { sizeBytes: size - 1 })).toEqual([400, 'validation_failed', undefined])
      expect(await objects.get('k')).toMatchObject({ status: 404, code: 'not_found' })
      expect(await uploads(objects.client.accountId)).toEqual([])
      const right = await objects.put(
        'k',
        bytes,
        { wanted: ['crc32'] },
        { trailer: { digests: { crc32: crcOf(bytes) } } },
      )
      expect([right.status, right.object.digests]).toEqual([200, { crc32: crcOf(bytes) }])
    },
  )

  it('is not stored when the client disconnects', async () => {
    const objects = await objectsOf(t)
    for (const size of [1000, 2 * MIB]) (await cutPut(t, objects, 'cut', Buffer.alloc(size))).destroy()
    await waitFor(async () => (await uploads(objects.client.accountId)).length === 0)
    expect(await objects.get('cut')).toMatchObject({ status: 404 })
  })

  it('has the limits of the account', async () => {
    const objects = await objectsOf(t)
    expect(await objects.put('k', 'x', {}, { sizeBytes: 51 * 1024 ** 3 })).toMatchObject({
      status: 413,
      code: 'too_large',
    })
    expect(await objects.put('k', 'x', {}, { bucket: 'nobodys' })).toMatchObject({
      status: 404,
      details: { missing: 'bucket' },
    })
  })
})

describe('a read', () => {
  it('has ranges and conditions of the ETag, also with HEAD', async () => {
    const objects = await objectsOf(t)
    const bytes = Buffer.from('0123456789')
    const tag = (await objects.put('k', bytes)).object.etag
    const status = async (headers: Record<string, string>, query = {}, method = 'GET') => {
      const read = await objects.get('k', headers, query, method)
      return [read.status, read.range, method === 'GET' ? read.bytes.toString() : read.length]
    }
    expect(await status({ range: 'bytes=2-4' })).toEqual([206, 'bytes 2-4/10', '234'])
    expect(await status({ range: 'bytes=-3' }, {}, 'HEAD')).toEqual([206, 'bytes 7-9/10', '3'])
    expect(await status({}, { partNumber: '1' }, 'HEAD')).toEqual([206, 'bytes 0-9/10', '10'])
    expect((await status({}, { partNumber: '2' }))[0]).toBe(416)
    expect((await status({ range: 'bytes=10-' }))[0]).toBe(416)
    for (const quoted of [tag, `"${tag}"`, '*', `"x", "${tag}"`]) {
      expect((await status({ 'if-none-match': quoted }))[0]).toBe(304)
      expect((await status({ 'if-match': quoted }))[0]).toBe(200)
    }
    const [past, future] = ['Thu, 01 Jan 1970 00:00:00 GMT', 'Fri, 01 Jan 2100 00:00:00 GMT']
    expect((await status({ 'if-match': 'x' }))[0]).toBe(412)
    expect((await status({ 'if-unmodified-since': past }))[0]).toBe(412)
    expect((await status({ 'if-match': tag, 'if-unmodified-since': past }))[0]).toBe(200)
    expect((await status({ 'if-modified-since': future }))[0]).toBe(304)
    expect((await status({ 'if-none-match': 'x', 'if-modified-since': future }))[0]).toBe(200)
  })

  it('shows files of native clients, and the bytes of the last file of a key', async () => {
    const client = clientOf(t)
    const vaultId = await client.defaultVault()
    const file = await client.hotFile('native', { vaultId, path: 'f/native.txt', name: undefined })
    const { slug } = (await client.call('GET', `/api/vaults/${vaultId}`)).body
    const objects = objectCalls(client, slug)
    const read = await objects.get('f/native.txt')
    expect(read).toMatchObject({
      status: 200,
      object: { fileId: file.id, etag: expect.stringMatching(/^[0-9a-f]{32}-1$/) },
    })
    const { object } = await objects.put('f/native.txt', 'second')
    expect((await objects.get('f/native.txt')).bytes.toString()).toBe('second')
    const trash = (await client.call('GET', '/api/trash')).body
    expect(trash.files).toMatchObject([{ id: file.id, replacedBy: object.fileId }])
  })

  it.each(['/a', 'a//b', './x', 'e\u0301', '\u0001', 'a\\b', 'x'.repeat(1024), '日'.repeat(341), 'dir/'])(
    'finds the key %j byte for byte',
    async (key) => {
      const objects = await objectsOf(t)
      await objects.put(key, 'bytes')
      const read = await objects.get(key)
      expect([read.status, read.object.key, read.bytes.toString()]).toEqual([200, key, 'bytes'])
      expect(await objects.remove(key)).toMatchObject({ status: 200, deleted: true })
      expect(await objects.get(key)).toMatchObject({ status: 404, code: 'not_found' })
    },
  )
})

describe('a marker of a folder', () => {
  it('is a kept folder without bytes, and a file if it has more', async () => {
    const objects = await objectsOf(t)
    const { object } = await objects.put('photos/2026/', '')
    expect(object).toMatchObject({ fileId: null, key: 'photos/2026/', sizeBytes: 0, etag: md5('') })
    expect(await objects.get('photos/2026/', {}, {}, 'HEAD')).toMatchObject({ status: 200, length: '0' })
    const folders = await objects.client.call('GET', `/api/vaults/${objects.vault.id}/folders?prefix=photos/`)
    if (folders.status === 200) expect(JSON.stringify(folders.body)).toContain('photos/2026/')
    expect((await objects.put('photos/2026/', '', { metadata: { mtime: '1' } })).object.fileId).toEqual(
      expect.any(String),
    )
    expect(await objects.remove('photos/2026/')).toMatchObject({ deleted: true })
    expect(await objects.get('photos/2026/')).toMatchObject({ status: 404 })
    expect(await objects.remove('photos/2026/')).toMatchObject({ status: 200, deleted: false })
  })

  it('is a file in a vault that keeps no more folders', async () => {
    const objects = await objectsOf(t)
    const fill = 'insert into kept_folder (vault_id, path) select $1, n || $2 from generate_series(1, $3::integer) as n'
    await t.database.sql(fill, [objects.vault.id, '/', KEPT_FOLDERS_MAX])
    expect((await objects.put('more/', '')).object.fileId).toEqual(expect.any(String))
    expect(await objects.get('more/')).toMatchObject({ status: 200, length: '0' })
  })
})
