import { describe, expect, it } from 'vitest'
import { sharedBundle } from '../bundle.ts'
import { clientOf, encryption, insertFiles, visitorOf } from '../client.ts'

const t = sharedBundle()

const labelled = { metadata: { camera: 'X100', place: 'Łódź' }, tags: ['b', 'a', 'b'] }

function owner() {
  const client = clientOf(t)
  const patch = (id: string, json: object) => client.call('PATCH', `/api/files/${id}`, { json })
  const list = async (query: string) =>
    (await client.call('GET', `/api/files?${query}`)).body.files.map(({ id }: { id: string }) => id)
  return { ...client, patch, list }
}

describe('metadata and tags', () => {
  it('are set by both upload methods, and are in every response and event', async () => {
    const client = owner()
    const file = await client.hotFile('hello', labelled)
    const has = { metadata: labelled.metadata, tags: ['a', 'b'], sealedMetadata: null }
    expect(file).toMatchObject(has)
    expect((await client.call('GET', `/api/files/${file.id}`)).body).toMatchObject(has)
    const { sealedMetadata: _, ...open } = has
    const shown = await visitorOf(t)(`/api/public/vaults/${client.accountId}/default`)
    expect(shown.body.files[0]).toMatchObject(open)
    const events = await t.database.sql(`select payload -> 'data' as data from event where subject_id = $1`, [file.id])
    expect(events).toMatchObject([{ data: open }])
    const query = `meta.camera=X100&meta.k.e-y=${encodeURIComponent('a=b&c')}&tag=x&tag=y`
    const sent = await client.call('PUT', `/api/vaults/${file.vaultId}/content/a?${query}`, { body: 'x' })
    expect(sent.body).toMatchObject({ metadata: { camera: 'X100', 'k.e-y': 'a=b&c' }, tags: ['x', 'y'] })
    const plain = await client.hotFile('hello', { metadata: {}, tags: [] })
    expect(plain).toMatchObject({ metadata: {}, tags: [] })
    expect(await t.database.sql('select from file_label where file_id = $1', [plain.id])).toEqual([])
    const told = await t.database.sql(
      `select payload -> 'data' ? 'metadata' as told from event where subject_id = $1`,
      [plain.id],
    )
    expect(told).toEqual([{ told: false }])
  })

  it('change together with a path that replaces another file, in one event, or not at all', async () => {
    const client = owner()
    const eventsOf = (id: string) =>
      t.database.sql(`select payload from event where subject_id = $1 and type = 'file.changed'`, [id])
    const [file, there] = [
      await client.hotFile('a', { name: 'a', ...labelled }),
      await client.hotFile('b', { name: 'b' }),
    ]
    const more = { metadata: { place: null, lens: '23mm' }, tags: ['c'] }
    expect((await client.patch(file.id, { path: 'b', onConflict: 'fail', ...more })).status).toBe(409)
    expect((await client.call('GET', `/api/files/${file.id}`)).body).toMatchObject({
      path: 'a',
      ...labelled,
      tags: ['a', 'b'],
    })
    expect(await eventsOf(file.id)).toEqual([])
    const changed = await client.patch(file.id, { path: 'b', onConflict: 'replace', ...more })
    expect(changed.body).toMatchObject({
      path: 'b',
      replaces: there.id,
      metadata: { camera: 'X100', lens: '23mm' },
      tags: ['c'],
    })
    expect(await eventsOf(file.id)).toMatchObject([{ payload: { name: 'b', nameBefore: 'a', isRelabelled: true } }])

    // While other requests merge labels.
    await client.hotFile('p', { name: 'p' })
    const merges = Array.from({ length: 8 }, (_, n) => ({ metadata: { [`m${n}`]: 'x' } }))
    const patches = [...merges, { path: 'p', onConflict: 'replace', metadata: { took: 'p' } }]
    const answers = await Promise.all(patches.map((json) => client.patch(file.id, json)))
    expect(answers.map(({ status }) => status)).toEqual(Array(9).fill(200))
    const { metadata, path } = (await client.call('GET', `/api/files/${file.id}`)).body
    expect(path).toBe('p')
    expect(metadata).toMatchObject(Object.assign({ took: 'p' }, ...merges.map((merge) => merge.metadata)))
  })

  it('are changed by PATCH: metadata is merged, null removes a key, and tags are replaced', async () => {
    const client = owner()
    const { id } = await client.hotFile('hello', labelled)
    expect((await client.patch(id, { metadata: { camera: null, lens: '23 mm' } })).body).toMatchObject({
      metadata: { place: 'Łódź', lens: '23 mm' },
      tags: ['a', 'b'],
    })
    expect((await client.patch(id, { tags: ['c'] })).body).toMatchObject({
      metadata: { place: 'Łódź', lens: '23 mm' },
      tags: ['c'],
    })
    expect((await client.patch(id, { metadata: null, tags: null, name: 'n' })).body).toMatchObject({
      metadata: {},
      tags: [],
      name: 'n',
    })
    const many = Object.fromEntries(Array.from({ length: 10 }, (_, index) => [`k${index}`, 'v']))
    await Promise.all(Object.entries(many).map(([key, value]) => client.patch(id, { metadata: { [key]: value } })))
    expect((await client.call('GET', `/api/files/${id}`)).body.metadata).toEqual(many)
    expect((await client.call('GET', `/api/files/${id}/timeline`)).body.timeline.at(-1)).toMatchObject({
      type: 'file.changed',
      details: { isRelabelled: true },
    })
  })

  it('have limits that also apply to merged labels', async () => {
    const client = owner()
    const { id } = await client.hotFile('hello', labelled)
    const pairs = (count: number, value = '') =>
      Object.fromEntries(Array.from({ length: count }, (_, index) => [`k${index}`, value]))
    for (const wrong of [
      { metadata: pairs(51) },
      { metadata: { k: 'x'.repeat(2048) } },
      { metadata: { 'a b': 'c' } },
      { metadata: { '': 'c' } },
      { metadata: { k: 1 } },
      { metadata: { k: 'a\u0000' } },
      { tags: Array.from({ length: 51 }, (_, index) => `t${index}`) },
      { tags: [''] },
      { tags: ['x'.repeat(65)] },
    ]) {
      const upload = await client.requestUpload({ vaultId: await client.defaultVault(), sizeBytes: 1, ...wrong })
      expect([upload.status, (await client.patch(id, wrong)).status], JSON.stringify(wrong).slice(0, 60)).toEqual([
        400, 400,
      ])
    }
    expect((await client.patch(id, { metadata: pairs(48, 'v') })).status).toBe(200)
    expect((await client.patch(id, { metadata: { more: 'v' } })).body.code).toBe('validation_failed')
    expect((await client.call('GET', `/api/files?meta.a%20b=c`)).status).toBe(400)
  })

  it('filter lists, together with any other filter and order, until they change', async () => {
    const client = owner()
    const a = await client.hotFile('a', { metadata: { camera: 'X100', year: '2026' }, tags: ['holiday'] })
    const b = await client.hotFile('b', {
      metadata: { camera: 'X100' },
      tags: ['holiday', 'sea'],
      path: 'x/y',
      name: undefined,
    })
    await client.hotFile('c', { tags: ['camera=X100'] })
    await owner().hotFile('d', { metadata: { camera: 'X100' }, tags: ['holiday'] })
    expect(await client.list('meta.camera=X100')).toEqual([b.id, a.id])
    expect(await client.list('meta.camera=X100&meta.year=2026')).toEqual([a.id])
    expect(await client.list('tag=holiday&tag=sea')).toEqual([b.id])
    expect(await client.list('tag=holiday&order=asc&status=hot')).toEqual([a.id, b.id])
    expect(await client.list(`tag=holiday&vaultId=${a.vaultId}&prefix=x/`)).toEqual([b.id])
    expect(await client.list('tag=sea&meta.camera=X100&q=y')).toEqual([b.id])
    expect(await client.list('tag=nothing')).toEqual([])
    await client.patch(a.id, { metadata: { camera: null } })
    expect(await client.list('meta.camera=X100')).toEqual([b.id])
    await client.call('DELETE', `/api/files/${b.id}`)
    expect(await client.list('meta.camera=X100')).toEqual([])
    expect(await client.list('meta.camera=X100&trashed=true')).toEqual([b.id])
  })

  it('use the index of labels if few of many files have them', async () => {
    const client = owner()
    const vaultId = await client.defaultVault()
    const rare = await client.hotFile('rare', { metadata: { kind: 'rare' }, tags: ['rare'] })
    const often = `case when n % 2 = 0 then array['often'] end`
    await insertFiles(t, { ...client, vaultId }, 5000, { tags: often, created_at: 'now() + make_interval(secs => n)' })
    for (const query of ['tag=rare', 'meta.kind=rare', 'tag=rare&sortBy=name'])
      expect(await client.list(query)).toEqual([rare.id])
    expect(await client.list('tag=often&limit=100')).toHaveLength(100)
  })
})

it('sealed metadata of a private vault is returned unchanged, and excludes other labels', async () => {
  const client = owner()
  const { id: vaultId } = await client.createVault('Secrets', 'private')
  const sealed = { vaultId, sealedMetadata: 'c2VhbGVk', ...encryption }
  const file = await client.hotFile('x', sealed)
  expect(file).toMatchObject({ sealedMetadata: 'c2VhbGVk', metadata: {}, tags: [] })
  for (const wrong of [
    { ...sealed, tags: ['a'] },
    { vaultId: await client.defaultVault(), sealedMetadata: 'x' },
    { ...sealed, sealedMetadata: 'é' },
  ]) {
    expect((await client.requestUpload({ sizeBytes: 1, ...wrong })).status).toBe(400)
  }
  expect((await client.patch(file.id, { tags: ['a'] })).status).toBe(400)
  expect((await client.patch(file.id, { tags: ['a'], sealedMetadata: null })).body).toMatchObject({
    tags: ['a'],
    sealedMetadata: null,
  })
  const open = await client.hotFile('x')
  expect((await client.patch(open.id, { sealedMetadata: 'x' })).status).toBe(400)
})
