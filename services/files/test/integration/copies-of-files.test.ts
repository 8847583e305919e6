import { withinOneDay } from '@tideport/testing/within-one-day'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Bundle, newAccount, setup } from '../bundle.ts'
import { clientOf, encryption } from '../client.ts'
import { makeCold } from '../later-states.ts'
import { expectCounted, ownerOfMany } from '../owner-of-many.ts'

let t: Bundle
beforeAll(async () => {
  t = await setup({ logLevel: 'error', env: { ACCOUNT_QUOTA_BYTES: '1000' } })
})
afterAll(() => t[Symbol.asyncDispose]())

const owner = () => ownerOfMany(t)
const read = async (client: Awaited<ReturnType<typeof owner>>, path: string) =>
  (await client.call('GET', `/api/vaults/${client.vaultId}/content/${path}`)).bytes.toString()

describe('a copy', () => {
  it('is a file of its own with the bytes and labels of the other one, and outlives it', async () => {
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

  it('is made of cold files too, into their own folder, each once, and of encrypted ones with their keys', async () => {
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
    await client.carryOn()
    expect((await client.call('GET', `/api/jobs/${body.job.id}`)).body.done).toBe(1)
    const [copy] = (await client.call('GET', `/api/files?vaultId=${vaultId}&prefix=x/`)).body.files
    expect(copy).toMatchObject({ wrappedKey: sealed.wrappedKey, encryptionIv: sealed.encryptionIv })
    const open = { json: { ids: [sealed.id], to: '', toVaultId: client.vaultId } }
    expect((await client.call('POST', `/api/vaults/${vaultId}/copy`, open)).body.code).toBe('visibility_mismatch')
  })

  it('stands beside, is refused by, or replaces the file at its path', async () => {
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

  it('is not made beyond the quota, nor of bytes that are lost, and nothing is left of the attempt', async () => {
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

  it('counts towards the bytes that a key may move in a day', async () => {
    await withinOneDay()
    const client = await owner()
    const id = await client.send('a/x')
    const budgets = [{ id: newAccount(), bytesPerDay: 8 }]
    const key = clientOf(t, client.accountId, {
      keyId: newAccount(),
      limits: { vaultIds: null, verbs: ['read', 'upload'], budgets },
    })
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
