import { setTimeout as delay } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { sharedBundle } from '../bundle.ts'
import { clientOf, insertFiles, limitedKey, visitorOf } from '../client.ts'
import { objectCalls } from '../objects.ts'
import { expectCounted } from '../owner-of-many.ts'

const t = sharedBundle({ logLevel: 'error' })

const create = (client: ReturnType<typeof clientOf>, slug: string, visibility = 'private') =>
  client.call('POST', '/internal/buckets', { json: { slug, visibility } })

describe('slugs of vaults', () => {
  it('are chosen at creation, unique among the live vaults of an account, and free after deletion', async () => {
    const client = clientOf(t)
    const named = (slug: string) =>
      client.call('POST', '/api/vaults', { json: { name: 'A', slug, visibility: 'public' } })
    const first = await named('my.bucket-1')
    expect(first).toMatchObject({ status: 201, body: { name: 'A', slug: 'my.bucket-1' } })
    expect(await named('my.bucket-1')).toMatchObject({ status: 409, body: { code: 'slug_taken' } })
    expect(await create(clientOf(t), 'my.bucket-1')).toMatchObject({ status: 201 })
    for (const wrong of ['ab', 'a'.repeat(64), 'Ab-c', '-abc', 'abc-', 'a..b', 'a.-b', '192.168.1.1', 'ab_c', ''])
      expect(await named(wrong), wrong).toMatchObject({ status: 400, body: { code: 'validation_failed' } })
    await client.call('DELETE', `/api/vaults/${first.body.id}`)
    const second = await named('my.bucket-1')
    expect(second).toMatchObject({ status: 201, body: { slug: 'my.bucket-1' } })
    const restored = await client.call('POST', `/api/vaults/${first.body.id}/restore`)
    expect(restored).toMatchObject({ status: 200, body: { slug: 'my.bucket-1-2', deletedAt: null } })
  })

  it('belong to exactly one of many concurrent requests', async () => {
    const client = clientOf(t)
    const answers = await Promise.all(Array.from({ length: 8 }, () => create(client, 'same')))
    expect(answers.map(({ status }) => status).toSorted()).toEqual([201, ...Array(7).fill(409)])
  })
})

describe('buckets', () => {
  it('are the vaults of the caller, and those of others do not exist', async () => {
    const [client, other] = [clientOf(t), clientOf(t)]
    for (const slug of ['photos-b', 'photos-a', 'texts'])
      expect((await create(client, slug, 'public')).status).toBe(201)
    const list = async (query: string) => {
      const { body } = await client.call('GET', `/internal/buckets?${query}`)
      return [body.buckets.map(({ slug }: { slug: string }) => slug), body.next]
    }
    expect(await list('')).toEqual([['default', 'photos-a', 'photos-b', 'texts'], null])
    expect(await list('prefix=photos&limit=1')).toEqual([['photos-a'], 'photos-a'])
    expect(await list('prefix=photos&limit=1&after=photos-a')).toEqual([['photos-b'], null])
    const missing = { status: 404, body: { code: 'not_found', details: { missing: 'bucket' } } }
    for (const slug of ['texts', 'never', '%00']) {
      expect(await other.call('GET', `/internal/buckets/${slug}`)).toMatchObject(missing)
      expect(await other.call('DELETE', `/internal/buckets/${slug}`)).toMatchObject(missing)
      expect(await other.call('GET', `/internal/objects/${slug}/list`)).toMatchObject(missing)
      expect(await other.call('PUT', `/internal/buckets/${slug}/cors`, { json: { rules: null } })).toMatchObject(
        missing,
      )
    }
    const { body: vaults } = await client.call('GET', '/api/vaults')
    const texts = vaults.vaults.find(({ slug }: { slug: string }) => slug === 'texts').id
    const key = limitedKey(t, client, { vaultIds: [texts] })
    expect((await key.call('GET', '/internal/buckets')).body.buckets).toMatchObject([{ slug: 'texts' }])
    expect(await key.call('GET', '/internal/buckets/photos-a')).toMatchObject(missing)
    expect((await key.call('GET', '/internal/buckets/texts')).body).toMatchObject({ visibility: 'public', cors: null })
    expect((await create(key, 'more')).status).toBe(403)
    const below = limitedKey(t, client, { prefixes: ['docs/'] })
    expect((await below.call('GET', '/internal/buckets/texts')).status).toBe(200)
    const cors = { json: { rules: null } }
    for (const refused of [
      await below.call('PUT', '/internal/buckets/texts/cors', cors),
      await below.call('DELETE', '/internal/buckets/texts'),
    ])
      expect(refused).toMatchObject({ status: 403, body: { details: { limit: 'prefixes' } } })
  })

  it('are deleted without files and kept folders, together with their open uploads', async () => {
    const client = clientOf(t)
    await create(client, 'to-go', 'public')
    const { body } = await client.call('GET', '/api/vaults')
    const vaultId = body.vaults.find(({ slug }: { slug: string }) => slug === 'to-go').id
    const remove = () => client.call('DELETE', '/internal/buckets/to-go')
    const { id } = await client.hotFile('a', { vaultId, name: 'a' })
    expect(await remove()).toMatchObject({ status: 409, body: { code: 'vault_not_empty' } })
    await client.call('DELETE', `/api/files/${id}`)
    await client.call('PUT', `/api/vaults/${vaultId}/folders/kept/`)
    expect(await remove()).toMatchObject({ status: 409, body: { code: 'vault_not_empty' } })
    await client.call('DELETE', `/api/vaults/${vaultId}/folders/kept/`)
    await client.requestUpload({ sizeBytes: 5, vaultId })
    expect((await remove()).status).toBe(200)
    expect((await remove()).status).toBe(404)
    expect(await client.call('DELETE', '/internal/buckets/default')).toMatchObject({ body: { code: 'state_conflict' } })
    await expectCounted(t, client)
  })

  it('are not deleted with an object whose upload has succeeded', async () => {
    const client = clientOf(t)
    for (let round = 0; round < 20; round += 1) {
      await create(client, `raced-${round}`)
      const { put, get } = objectCalls(client, `raced-${round}`)
      const [deleted, written] = await Promise.all([
        delay(round % 10).then(() => client.call('DELETE', `/internal/buckets/raced-${round}`)),
        put('k', 'x'),
      ])
      const { status } = await get('k')
      expect([deleted.status, written.status, status]).toEqual(status === 200 ? [409, 200, 200] : [200, 404, 404])
    }
    await expectCounted(t, client)
  })

  it('have cross-origin rules, which a preflight finds by the slug alone', async () => {
    const [client, other] = [clientOf(t), clientOf(t)]
    const rule = { allowedOrigins: ['https://*.example'], allowedMethods: ['PUT'] }
    const whole = { ...rule, allowedHeaders: [], exposeHeaders: [], maxAgeSeconds: null }
    for (const owner of [client, other]) {
      await create(owner, 'shared')
      expect((await owner.call('PUT', '/internal/buckets/shared/cors', { json: { rules: [rule] } })).status).toBe(200)
    }
    expect((await client.call('GET', '/internal/buckets/shared')).body.cors).toEqual([whole])
    const find = async () => (await visitorOf(t)('/internal/cors/shared')).body.rules
    expect(await find()).toEqual([whole, whole])
    await other.call('PUT', '/internal/buckets/shared/cors', { json: { rules: null } })
    expect(await find()).toEqual([whole])
  })
})

describe('a restore', () => {
  it('brings a cold file back for days, extends that time, and leaves other files alone', async () => {
    const client = clientOf(t)
    const vaultId = await client.defaultVault()
    await insertFiles(t, { ...client, vaultId }, 1, { raw_key: `'a//b'` })
    await insertFiles(t, { ...client, vaultId }, 1, { name: `'hot'`, status: `'hot'`, hot_key: `'k'` })
    const restore = async (key: string, by = client) => {
      const url = `/internal/objects/default/restore?key=${encodeURIComponent(key)}`
      const { status, body } = await by.call('POST', url, { json: { days: 2 } })
      return body.outcome ?? [status, body.details ?? body.code]
    }
    expect(await restore('none')).toEqual([404, { missing: 'key' }])
    expect(await restore('hot')).toBe('not_cold')
    expect(await restore('a//b', limitedKey(t, client, { prefixes: ['a/b'] }))).toEqual([403, { limit: 'prefixes' }])
    expect([await restore('a//b'), await restore('a//b')]).toEqual(['requested', 'ongoing'])
    await t.database.sql(`update file set rehydrate_due_at = null, hot_key = 'k' where raw_key = 'a//b'`)
    expect(await restore('a//b')).toBe('extended')
    const { body } = await client.call('GET', '/internal/objects/default/list')
    const [object] = body.entries.map((entry: { object: object }) => entry.object)
    expect(object).toMatchObject({ key: 'a//b', isHot: false, restore: { isOngoing: false } })
    expect(Date.parse(object.restore.until)).toBeGreaterThan(Date.now() + 47 * 3_600_000)
  })
})

it('a deletion with a condition leaves the file that replaced the one that met it', async () => {
  const client = clientOf(t)
  await create(client, 'conditional')
  const { put, get, remove } = objectCalls(client, 'conditional')
  for (let round = 0; round < 40; round += 1) {
    const { object } = await put('k', 'old')
    const removed = delay(round % 10).then(() => remove('k', { ifMatch: object.etag }))
    const [, written] = await Promise.all([removed, put('k', 'new')])
    expect([written.status, String((await get('k')).bytes)], `${round}`).toEqual([200, 'new'])
  }
})
