import type { Endpoint } from '@tideport/contracts/endpoint/endpoint'
import { api } from '@tideport/contracts/public/api'
import { describe, expect, it } from 'vitest'
import { sharedBundle } from '../bundle.ts'
import { clientOf, limitedKey } from '../client.ts'
import { finishJob } from '../exporting.ts'

const t = sharedBundle()

const idsOf = (list: { id: string }[]) => list.map(({ id }) => id)

describe('a key that is limited to prefixes', () => {
  /** Live and trashed files, both inside and outside of `docs/`, and a live file whose name begins with `é`. */
  async function setupPaths() {
    const owner = clientOf(t)
    const vaultId = await owner.defaultVault()
    const at = async (path: string) => await owner.hotFile('a', { vaultId, name: undefined, path })
    const [file, accented] = [await at('docs/a.txt'), await at('e\u0301t\u00e9.txt')]
    const hidden = [await at('docs'), await at('docs-2/a.txt'), await at('Docs/a.txt'), await at('ete.txt')]
    const [trashed, hiddenTrash] = [await at('docs/b.txt'), await at('other/b.txt')]
    for (const { id } of [trashed, hiddenTrash]) await owner.call('DELETE', `/api/files/${id}`)
    const key = limitedKey(t, owner, { prefixes: ['docs/', '\u00e9'] })
    return { owner, key, vaultId, file, accented, hidden, trashed, hiddenTrash }
  }

  it('sees and changes files below them', async () => {
    const { key, vaultId, file, accented, trashed } = await setupPaths()
    for (const what of ['', '/download', '/copies', '/timeline'])
      expect((await key.call('GET', `/api/files/${file.id}${what}`)).status).toBe(200)
    const content = `/api/vaults/${vaultId}/content`
    expect((await key.call('GET', `${content}/${encodeURIComponent('e\u0301t\u00e9.txt')}`)).status).toBe(200)
    expect((await key.call('PUT', `${content}/docs/new.txt`)).status).toBe(201)
    expect((await key.call('GET', `/internal${content.slice(4)}/docs/new.txt`)).status).toBe(200)
    expect((await key.call('POST', `/api/files/${trashed.id}/restore`)).status).toBe(200)
    const patch = (id: string, json: object) => key.call('PATCH', `/api/files/${id}`, { json })
    expect((await patch(file.id, { name: 'c.txt' })).status).toBe(200)
    expect((await patch(accented.id, { path: 'docs/deep/d.txt' })).status).toBe(200)
    expect((await key.hotFile('a', { vaultId, name: undefined, path: 'docs/more.txt' })).status).toBe('hot')
    expect((await key.call('DELETE', `/api/files/${file.id}?permanent=true`)).status).toBe(200)
    expect((await key.call('GET', `/api/vaults/${vaultId}`)).status).toBe(200)
  })

  it('gets 404 for paths that only share the beginning of a prefix', async () => {
    const { owner, key, vaultId, hidden } = await setupPaths()
    const asked = hidden.flatMap(({ id }) => [
      ...['', '/download', '/copies', '/timeline'].map((what) => ['GET', `/api/files/${id}${what}`] as const),
      ['POST', `/api/files/${id}/confirm`],
      ['PATCH', `/api/files/${id}`, { path: 'docs/mine.txt' }],
      ['DELETE', `/api/files/${id}?permanent=true`],
    ]) as (readonly [method: string, path: string, json?: object])[]
    for (const path of ['docs', 'docs-2/a.txt', 'none.txt'])
      asked.push(['GET', `/api/vaults/${vaultId}/content/${path}`])
    for (const [method, path, json] of asked) {
      const { status, bytes } = await key.call(method, path, json && { json })
      expect([status, bytes.toString()], `${method} ${path}`).toEqual([404, '{"error":"Not found","code":"not_found"}'])
    }
    for (const { id, path } of hidden)
      expect((await owner.call('GET', `/api/files/${id}`)).body).toMatchObject({ path, deletedAt: null })
  })

  it('cannot create files outside them or change a complete vault', async () => {
    const { key, vaultId, file } = await setupPaths()
    const upload = { vaultId, mimeType: 'text/plain', sizeBytes: 1 }
    const vault = `/api/vaults/${vaultId}`
    for (const [method, path, json] of [
      ['POST', '/api/files/upload', { ...upload, name: 'x' }],
      ['POST', '/api/files/upload', { ...upload, path: 'docs-2/x' }],
      ['PUT', `${vault}/content/x`],
      ['GET', `/internal${vault.slice(4)}/content/x`],
      ['POST', `${vault}/content/Docs/x`],
      ['PATCH', `/api/files/${file.id}`, { path: 'x' }],
      ['PATCH', `/api/files/${file.id}`, { path: 'other/docs/x', onConflict: 'replace' }],
      ['PATCH', vault, { name: 'mine' }],
      ['DELETE', `${vault}?force=true`],
      ['POST', `${vault}/restore`],
      ['DELETE', '/api/trash'],
      ['GET', '/api/account'],
      ['GET', '/api/account/file-events'],
      ['POST', '/api/vaults', { name: 'x', visibility: 'public' }],
    ] as const) {
      const { status, body } = await key.call(method, path, json && { json })
      expect([status, body.code], `${method} ${path}`).toEqual([403, 'outside_key_limits'])
    }
    const root = limitedKey(t, key, { prefixes: ['do'] })
    expect((await root.call('PATCH', `/api/files/${file.id}`, { json: { name: 'z.txt' } })).body.path).toBe(
      'docs/z.txt',
    )
  })

  it('gets lists of only its files, in every order and page size', async () => {
    const { key, vaultId, file, accented, trashed } = await setupPaths()
    const seen = [file.id, accented.id].toSorted()
    const within = `vaultId=${vaultId}`
    for (const query of [
      '',
      'sortBy=name',
      'status=hot',
      'mimeType=image/png',
      within,
      `${within}&sortBy=path`,
      'q=t',
    ]) {
      const ids = (await key.pages(`/api/files?limit=1&${query}`)).flatMap(({ files }) => idsOf(files))
      expect(ids.toSorted(), query).toEqual(seen)
    }
    const { body } = await key.call('GET', `/api/files?${within}&delimiter=/`)
    expect([body.folders, idsOf(body.files)]).toEqual([[{ path: 'docs/' }], [accented.id]])
    for (const path of ['/api/trash', '/api/files?trashed=true'])
      expect(idsOf((await key.call('GET', path)).body.files)).toEqual([trashed.id])
    const outside = (await key.call('GET', `/api/files?${within}&prefix=Docs/`)).body
    expect(outside.files).toEqual([])
  })

  it('archives, moves, and trashes files below them with its own jobs', async () => {
    const { owner, key, vaultId, file, trashed } = await setupPaths()
    const many = (who: typeof key, what: string, json: object) =>
      who.call('POST', `/api/vaults/${vaultId}/${what}`, { json })
    const ofOwner = (await many(owner, 'trash', { prefix: 'none/' })).body.job
    const archive = (query: string) => key.call('GET', `/api/vaults/${vaultId}/archive${query}`)
    const zip = await archive('?prefix=docs/')
    expect([zip.status, zip.bytes.includes('docs/a.txt'), zip.bytes.includes('docs-2')]).toEqual([200, true, false])

    const beyond = { status: 403, body: { code: 'outside_key_limits', details: { limit: 'prefixes' } } }
    for (const query of ['', '?prefix=docs', '?prefix=docs-2/']) expect(await archive(query)).toMatchObject(beyond)
    for (const prefix of ['docs-2/', 'Docs/', 'do', 'other/']) {
      for (const what of ['trash', 'restore-files', 'delete'])
        expect(await many(key, what, { prefix })).toMatchObject(beyond)
    }
    for (const what of ['move', 'copy']) {
      for (const [prefix, to] of [
        ['docs/', ''],
        ['docs/', 'docs-2/'],
        ['docs-2/', 'docs/'],
        ['', 'docs/'],
      ])
        expect(await many(key, what, { prefix, to })).toMatchObject(beyond)
      expect(await many(key, what, { ids: [file.id], to: 'docs-2/' })).toMatchObject(beyond)
    }

    const done = async (what: string, json: object) => {
      const { status, body } = await many(key, what, json)
      expect(status).toBe(200)
      expect((await finishJob(t, key, body.job.id)).state).toBe('done')
      return body.job.id
    }
    const ids = [
      await done('move', { prefix: 'docs/', to: 'docs/deep/', onConflict: 'replace' }),
      await done('restore-files', { prefix: 'docs/' }),
      await done('trash', { prefix: 'docs/deep/' }),
    ]
    expect((await key.call('GET', '/api/trash')).body.files).toMatchObject([{ id: file.id, path: 'docs/deep/a.txt' }])
    expect((await key.call('GET', `/api/files/${trashed.id}`)).body).toMatchObject({
      path: 'docs/b.txt',
      deletedAt: null,
    })
    expect(idsOf((await key.call('GET', '/api/jobs')).body.jobs)).toEqual(ids.toReversed())
    for (const [method, what] of [
      ['GET', ''],
      ['POST', '/cancel'],
    ] as const)
      expect((await key.call(method, `/api/jobs/${ofOwner.id}${what}`)).status).toBe(404)
  })

  it('changes only named files below them, even while one of the files moves out', async () => {
    const { owner, key, vaultId, file, accented, hidden, trashed, hiddenTrash } = await setupPaths()
    const elsewhere = [...hidden.map(({ id }) => id), hiddenTrash.id]
    const many = async (what: string, mine: string, more: object = {}) => {
      const json = { ids: [mine, ...elsewhere], ...more }
      const { status, body } = await key.call('POST', `/api/vaults/${vaultId}/${what}`, { json })
      expect([what, status]).toEqual([what, 200])
      return body
    }
    const found = { results: [{ code: null }, ...elsewhere.map((fileId) => ({ fileId, code: 'not_found' }))] }
    expect(await many('trash', file.id)).toMatchObject(found)
    expect(await many('restore-files', trashed.id)).toMatchObject(found)
    expect(await many('move', accented.id, { to: 'docs/moved/' })).toMatchObject(found)
    expect(await many('delete', trashed.id)).toMatchObject(found)
    const { job } = await many('copy', accented.id, { to: 'docs/copied/' })
    expect(await finishJob(t, key, job.id)).toMatchObject({ state: 'done', done: 1, failed: elsewhere.length })

    const leaving = await owner.hotFile('a', { vaultId, name: undefined, path: 'docs/leaving.txt' })
    const before = await t.database.sql(`select id, path, deleted_at, purging_at from file where id = any($1) order by id`, [elsewhere]) // biome-ignore format: one statement
    const [{ body }] = await Promise.all([
      key.call('POST', `/api/vaults/${vaultId}/delete`, { json: { ids: [leaving.id] } }),
      owner.call('PATCH', `/api/files/${leaving.id}`, { json: { path: 'other/left.txt' } }),
    ])
    const isThere = (await owner.call('GET', `/api/files/${leaving.id}`)).status === 200
    expect(body.results[0].code).toBe(isThere ? 'not_found' : null)
    expect(await t.database.sql(`select id, path, deleted_at, purging_at from file where id = any($1) order by id`, [elsewhere])).toEqual(before) // biome-ignore format: one statement
  })

  it('sees no file outside them through any endpoint that names a file, including future ones', async () => {
    const { owner, key, vaultId, hidden } = await setupPaths()
    const outside = hidden[1]
    const own = Object.entries(api as Record<string, Endpoint>).filter(
      ([, { service, access, path }]) => service === 'files' && access !== 'public' && /:(fileId|vaultId)/.test(path),
    )
    expect(own.length).toBeGreaterThan(20)
    for (const [id, { method, path }] of own) {
      const at = path
        .replace(':vaultId', vaultId)
        .replace(':fileId', outside?.id ?? '')
        .replace('*path', 'docs-2/a.txt')
      const isRecord = id === 'readVault'
      const json = { ids: [outside?.id], prefix: 'docs-2/', to: 'docs/', name: 'docs/x', partNumbers: [1] }
      const { status, bytes } = await key.call(method, at, ['GET', 'DELETE'].includes(method) ? {} : { json })
      expect(isRecord ? [200] : [400, 403, 404], `${method} ${at}`).toContain(status)
      expect(bytes.toString()).not.toContain('docs-2/a.txt')
    }
    const { body } = await owner.call('GET', `/api/files/${outside?.id}`)
    expect(body).toMatchObject({ path: 'docs-2/a.txt', deletedAt: null })
  })
})
