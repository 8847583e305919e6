import { describe, expect, it } from 'vitest'
import { newAccount, sharedBundle } from '../bundle.ts'
import { byteBudget } from '../byte-budget.ts'
import { encryption, limitedKey } from '../client.ts'
import { finishJob } from '../exporting.ts'
import { makeCold } from '../later-states.ts'
import { expectCounted, ownerOfMany } from '../owner-of-many.ts'

const t = sharedBundle({ logLevel: 'error', env: { ACCOUNT_QUOTA_BYTES: '1000' } })

const owner = () => ownerOfMany(t)
const read = async (client: Awaited<ReturnType<typeof owner>>, path: string) =>
  (await client.call('GET', `/api/vaults/${client.vaultId}/content/${path}`)).bytes.toString()

describe('a copy', () => {
  it('is an independent file with the same bytes and labels', async () => {
    const client = await owner()
    const source = await client.hotFile('hello', { vaultId: client.vaultId, path: 'a/x', name: undefined, tags: ['t'], metadata: { k: 'v' } }) // biome-ignore format: one file
    const job = await client.job('copy', { ids: [source.id, newAccount(), source.id], to: 'b/' })
    expect(job).toMatchObject({
      kind: 'copy',
      state: 'done',
      done: 1,
      failed: 1,
      to: 'b/',
      failures: [{ code: 'not_found' }],
    })
    const [copy] = (await client.call('GET', `/api/files?vaultId=${client.vaultId}&prefix=b/`)).body.files
    expect(copy).toMatchObject({ path: 'b/x', status: 'hot', tags: ['t'], metadata: { k: 'v' }, mimeType: 'image/png' })
    expect(copy.id).not.toBe(source.id)
    const { body } = await client.call('GET', `/api/files/${copy.id}/timeline`)
    expect(body.timeline.at(-1)).toMatchObject({ type: 'file.hot', actor: { method: 'job', jobId: job.id } })
    await client.call('DELETE', `/api/files/${source.id}?permanent=true`)
    expect(await read(client, 'b/x')).toBe('hello')
    await expectCounted(t, client)
  })

  it('can be made of cold files, encrypted files with their keys, and a folder into itself, with each file once', async () => {
    const client = await owner()
    await makeCold(t, await client.send('a/1'))
    await client.send('a/a/2')
    await client.call('PUT', `/api/vaults/${client.vaultId}/folders/a/empty`)
    expect(await client.job('copy', { prefix: 'a/', to: 'a/a/' })).toMatchObject({ done: 2, failed: 0 })
    expect(await client.paths()).toEqual(['a/1', 'a/a/1', 'a/a/2', 'a/a/a/2'])
    const list = await client.call('GET', `/api/files?vaultId=${client.vaultId}&prefix=a/a/&delimiter=/`)
    expect(list.body.folders).toEqual([{ path: 'a/a/a/' }, { path: 'a/a/empty/' }])
    expect(await read(client, 'a/a/1')).toBe('hello')
    const { id: vaultId } = await client.createVault('Secret', 'private')
    const sealed = await client.hotFile('hello', { vaultId, name: 's', ...encryption })
    const { body } = await client.call('POST', `/api/vaults/${vaultId}/copy`, { json: { ids: [sealed.id], to: 'x/' } })
    expect((await finishJob(t, client, body.job.id)).done).toBe(1)
    const [copy] = (await client.call('GET', `/api/files?vaultId=${vaultId}&prefix=x/`)).body.files
    expect(copy).toMatchObject({ wrappedKey: sealed.wrappedKey, encryptionIv: sealed.encryptionIv })
    const open = { json: { ids: [sealed.id], to: '', toVaultId: client.vaultId } }
    expect((await client.call('POST', `/api/vaults/${vaultId}/copy`, open)).body.code).toBe('visibility_mismatch')
  })

  it('keeps, is rejected by, or replaces the file at its path', async () => {
    const client = await owner()
    const id = await client.send('a/x')
    const old = await client.send('b/x')
    const copy = (onConflict: string) => client.job('copy', { ids: [id], to: 'b/', onConflict })
    expect(await copy('fail')).toMatchObject({ done: 0, failures: [{ fileId: id, path: 'a/x', code: 'path_taken' }] })
    expect(await copy('replace')).toMatchObject({ done: 1 })
    expect((await client.call('GET', `/api/files/${old}`)).status).toBe(404)
    expect(await copy('keep')).toMatchObject({ done: 1 })
    expect(await client.paths()).toEqual(['a/x', 'b/x', 'b/x'])
    await expectCounted(t, client)
  })

  it('is not created beyond the quota or from lost bytes, and leaves nothing behind', async () => {
    const client = await owner()
    const large = await client.hotFile('x'.repeat(600), { vaultId: client.vaultId, name: 'large' })
    const lost = await client.send('lost')
    await t.database.sql(`update file set hot_key = 'not there' where id = $1`, [lost])
    const job = await client.job('copy', { ids: [large.id, lost], to: 'b/' })
    expect(job).toMatchObject({ state: 'done', done: 0, failed: 2 })
    expect(job.failures.map(({ code }: { code: string }) => code).toSorted()).toEqual([
      'content_lost',
      'quota_exceeded',
    ])
    expect(await client.paths(`status = 'uploading'`)).toEqual([])
    await expectCounted(t, client)
  })

  it('counts towards the daily byte budget of a key', async () => {
    const client = await owner()
    const id = await client.send('a/x')
    const budgets = [await byteBudget(t, 8)]
    const key = limitedKey(t, client, { verbs: ['read', 'upload'], budgets })
    const copy = (json: object, headers = {}) =>
      key.call('POST', `/api/vaults/${client.vaultId}/copy`, { json: { to: 'b/', ...json }, headers })
    expect((await copy({ prefix: 'a/' })).body).toMatchObject({
      code: 'outside_key_limits',
      details: { limit: 'bytesPerDay' },
    })
    const once = { 'idempotency-key': 'once' }
    const first = await copy({ ids: [id] }, once)
    const again = await copy({ ids: [id] }, once)
    expect([first.status, again.status], 'a repeated request counts once').toEqual([200, 200])
    expect(again.body.job.id).toBe(first.body.job.id)
    expect((await copy({ ids: [id] })).body.code).toBe('key_bytes_spent')
    expect((await copy({ ids: [id], onConflict: 'replace' })).body.code).toBe('outside_key_limits')
  })
})

const codes = ({ body }: { body: { results: { code: string | null }[] } }) => body.results.map(({ code }) => code)

describe('many files by their IDs', () => {
  it('are moved to a folder, with an outcome and a history entry for each file', async () => {
    const client = await owner()
    const [a, b] = [await client.send('x/a'), await client.send('y/b')]
    const stranger = await owner()
    const foreign = await stranger.send('x/c')
    const open = await client.requestUpload({ sizeBytes: 5, vaultId: client.vaultId })
    const elsewhere = await client.hotFile('hello')
    const ids = [b, foreign, a, open.body.fileId, 'nothing', a, elsewhere.id, newAccount()]
    const { body } = await client.many('move', { ids, to: 'z/' })
    expect(body.results).toEqual([
      { fileId: b, code: null },
      { fileId: foreign, code: 'not_found' },
      { fileId: a, code: null },
      { fileId: open.body.fileId, code: 'not_found' },
      { fileId: 'nothing', code: 'not_found' },
      { fileId: elsewhere.id, code: 'not_found' },
      { fileId: ids[7], code: 'not_found' },
    ])
    expect(await client.paths(`status <> 'uploading'`)).toEqual(['z/a', 'z/b'])
    expect(await stranger.paths()).toEqual(['x/c'])
    const changed = await t.database.sql(
      `select payload->>'pathBefore' as before, actor->>'method' as method from event where type = 'file.changed' and subject_id = $1`,
      [a],
    )
    expect(changed).toEqual([{ before: 'x/a', method: 'api_key' }])
    await expectCounted(t, client)
  })

  it('are moved out of all folders and to another vault of the same visibility', async () => {
    const client = await owner()
    const { id: other } = await client.createVault('Other', 'public')
    const { id: secret } = await client.createVault('Secret', 'private')
    const ids = [await client.send('x/a'), await client.send('x/b')]
    expect(await client.many('move', { ids, to: '', toVaultId: secret })).toMatchObject({ status: 409 })
    expect(codes(await client.many('move', { ids, to: '', toVaultId: other }))).toEqual([null, null])
    expect([await client.paths(), await client.paths('true', other)]).toEqual([[], ['a', 'b']])
    await expectCounted(t, client)
  })

  it('keep, are rejected by, or replace the files at their paths', async () => {
    const client = await owner()
    await client.send('z/a')
    const move = async (path: string, onConflict: string) =>
      codes(
        await client.many('move', { ids: [await client.send(path), await client.send('u/n')], to: 'z/', onConflict }),
      )
    expect(await move('x/a', 'fail')).toEqual(['path_taken', null])
    expect(await move('x/a', 'keep')).toEqual([null, null])
    expect(await client.paths()).toEqual(['x/a', 'z/a', 'z/a', 'z/n', 'z/n'])
    expect(await move('y/a', 'replace')).toEqual([null, null])
    expect(await client.paths()).toEqual(['x/a', 'z/a', 'z/a', 'z/n', 'z/n'])
    expect(await client.paths('replaced_by is not null')).toEqual(['z/a', 'z/n'])
    const twins = [await client.send('p/t'), await client.send('q/t')]
    expect(codes(await client.many('move', { ids: twins, to: 'z/', onConflict: 'replace' }))).toEqual([null, null])
    expect(await client.paths(`path = 'z/t' and deleted_at is null`)).toEqual(['z/t'])
    const tooLong = [await client.send(`${'d'.repeat(200)}/${'e'.repeat(200)}`)]
    const to = `${'f'.repeat(220)}/`.repeat(4)
    const { id: wide } = await client.hotFile('hello', { vaultId: client.vaultId, name: '日'.repeat(255) })
    for (const onConflict of ['keep', 'fail', 'replace']) {
      expect(codes(await client.many('move', { ids: tooLong, to, onConflict }))).toEqual(['path_too_long'])
      expect(codes(await client.many('move', { ids: [wide], to: 'z/', onConflict }))).toEqual(['path_too_long'])
    }
    for (const to of [`${'日'.repeat(86)}/`, `${'f'.repeat(220)}/`.repeat(5)]) {
      const { status, body } = await client.many('move', { ids: [wide], to })
      expect([status, body.code]).toEqual([400, 'path_too_long'])
    }
    await expectCounted(t, client)
  })

  it('are trashed, restored, and deleted, and each request can be repeated', async () => {
    const client = await owner()
    const old = await client.send('a')
    const ids = [await client.send('a', 'replace'), await client.send('b')]
    for (const _ of ['once', 'again']) expect(codes(await client.many('trash', { ids }))).toEqual([null, null])
    expect(await client.paths()).toEqual([])
    const back = [...ids, old]
    for (const _ of ['once', 'again'])
      expect(codes(await client.many('restore-files', { ids: back }))).toEqual([null, null, null])
    expect(await client.paths()).toEqual(['a', 'b'])
    const open = (await client.requestUpload({ sizeBytes: 5, vaultId: client.vaultId })).body.fileId
    expect(codes(await client.many('trash', { ids: [open] }))).toEqual(['upload_not_confirmed'])
    expect(codes(await client.many('delete', { ids: [...back, open] }))).toEqual([null, null, null, null])
    expect(codes(await client.many('delete', { ids: [old] }))).toEqual(['not_found'])
    expect(await client.paths('true')).toEqual([])
    await expectCounted(t, client)
  })

  it('have URLs to download them', async () => {
    const client = await owner()
    const ids = [await client.send('a'), newAccount()]
    const { body } = await client.many('download-urls', { ids })
    expect(body.urls[1]).toEqual({
      fileId: ids[1],
      code: 'not_found',
      downloadUrl: null,
      expiresAt: null,
      source: null,
    })
    expect(await (await fetch(body.urls[0].downloadUrl)).text()).toBe('hello')
  })

  it.each<[string, object]>([
    ['move', { to: 'z/' }],
    ['move', { ids: ['a'], prefix: 'a/', to: 'z/' }],
    ['move', { prefix: 'a', to: 'z/' }],
    ['move', { prefix: 'a/', to: 'z' }],
    ['move', { prefix: 'a/', to: '../' }],
    ['move', { prefix: 'a/', to: 'a/' }],
    ['move', { prefix: 'a/', to: '/' }],
    ['delete', { prefix: '' }],
    ['trash', { prefix: '\ud800' }],
    ['copy', { ids: ['nothing'], to: 'z/' }],
    ['copy', { prefix: 'a/', to: 'z/', onConflict: 'bogus' }],
    ['trash', { ids: [] }],
    ['delete', { ids: Array(1001).fill('a') }],
    ['download-urls', {}],
  ])('are rejected without a clear selection and target: %s, %#', async (what, json) => {
    const client = await owner()
    expect((await client.many(what, json)).status).toBe(400)
    const right = { ...json, ids: [newAccount()], prefix: undefined, to: '', onConflict: undefined }
    expect((await client.call('POST', `/api/vaults/${newAccount()}/${what}`, { json: right })).status).toBe(404)
  })

  it('are changed by concurrent requests without losing files, and the counters are correct', async () => {
    const client = await owner()
    const ids = await Promise.all(Array.from({ length: 24 }, (_, n) => client.send(`from${n % 3}/${n % 4}`)))
    const { id: vaultId } = await client.createVault('Other', 'public')
    for (let round = 0; round < 3; round += 1) {
      const answers = await Promise.all([
        client.many('move', { ids, to: 'z/', onConflict: 'replace' }),
        client.many('move', { ids: ids.toReversed(), to: 'y/', onConflict: 'replace' }),
        client.many('move', { ids, to: 'y/', toVaultId: vaultId }),
        client.many('trash', { ids: ids.toReversed() }),
        client.many('restore-files', { ids }),
        client.many('restore-files', { ids: ids.toReversed() }),
      ])
      expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200, 200])
    }
    const [count] = await t.database.sql('select count(*)::int as files from file where account_id = $1', [
      client.accountId,
    ])
    expect(count).toEqual({ files: 24 })
    await expectCounted(t, client)
  })
})
