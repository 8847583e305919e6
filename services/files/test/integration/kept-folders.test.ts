import { waitFor } from '@tideport/testing/wait-for'
import { sql } from 'kysely'
import { describe, expect, it } from 'vitest'
import { newAccount, sharedBundle } from '../bundle.ts'
import { allPages, clientOf, visitorOf } from '../client.ts'
import { finishJob } from '../exporting.ts'

const t = sharedBundle()

/** A vault with files at these paths that keeps these folders. */
async function vaultWith(files: string[], folders: string[]) {
  const client = clientOf(t)
  const vault = await client.createVault('Folders', 'public')
  const root = `/api/vaults/${vault.id}`
  for (const path of files) {
    expect((await client.call('PUT', `${root}/content/${encodeURIComponent(path)}`)).status).toBe(201)
  }
  const keep = (path: string) => client.call('PUT', `${root}/folders/${path}`)
  const forget = (path: string) => client.call('DELETE', `${root}/folders/${path}`)
  for (const path of folders) expect((await keep(path)).status, path).toBe(200)
  const shown = `/api/public/vaults/${client.accountId}/${vault.slug}`
  return { client, vault, root, keep, forget, shown }
}

/** The entries of each page of a list with folders. */
async function readAll(call: (path: string) => ReturnType<ReturnType<typeof visitorOf>>, list: string, limit: number) {
  const pages = await allPages(call, `${list}&delimiter=/&limit=${limit}`)
  return pages.map(({ files, folders }) => [...files, ...folders].map(({ path }: { path: string }) => path))
}

describe('a folder that is kept', () => {
  it('is listed once, in order among files and other folders, with any page size', async () => {
    const files = ['a', 'a.txt', 'b/1', 'b/2', 'd', 'é/x', 'z']
    const { client, vault, shown } = await vaultWith(files, ['a/', 'b', 'c/deep/er/', 'd/e', 'zz/', 'e%CC%81/'])
    const expected = ['a', 'a.txt', 'a/', 'b/', 'c/', 'd', 'd/', 'z', 'zz/', 'é/']
    const own = `/api/files?vaultId=${vault.id}`
    for (const limit of [1, 2, 3, 100]) {
      for (const [call, list] of [
        [(path: string) => client.call('GET', path), own],
        [visitorOf(t), `${shown}?`],
      ] as const) {
        const pages = await readAll(call, list, limit)
        expect(pages.flat().toSorted(), `${list} ${limit}`).toEqual(expected.toSorted())
        for (const page of pages.slice(0, -1)) expect(page).toHaveLength(limit)
      }
    }
    expect(await readAll((path) => client.call('GET', path), `${own}&prefix=c/`, 1)).toEqual([['c/deep/']])
    expect(await readAll((path) => client.call('GET', path), `${own}&prefix=c/deep/er/`, 1)).toEqual([[]])
    expect(await readAll((path) => client.call('GET', path), `${own}&prefix=z`, 1)).toEqual([['z'], ['zz/']])
  })

  it('is absent from lists of files and from lists with another filter', async () => {
    const { client, vault } = await vaultWith(['a.txt'], ['kept/'])
    const filesOf = async (query: string) => (await client.call('GET', `/api/files?vaultId=${vault.id}&${query}`)).body
    for (const query of ['', 'sortBy=path', 'prefix=k'])
      expect(JSON.stringify(await filesOf(query))).not.toContain('kept')
    for (const query of ['q=a', 'status=hot', 'mimeType=image/*', 'tag=x', 'meta.a=b'])
      expect((await filesOf(`delimiter=/&${query}`)).folders, query).toEqual([])
    expect((await client.call('GET', `/api/vaults/${vault.id}`)).body.fileCount).toBe(1)
    expect((await client.call('GET', `/api/vaults/${vault.id}/content/kept/`)).status).toBe(404)
  })

  it('is kept and removed by repeatable, concurrent requests, with one event each', async () => {
    const { client, vault, keep, forget } = await vaultWith([], [])
    const kept = await Promise.all(Array.from({ length: 10 }, () => keep('new')))
    expect(kept.map(({ status, body }) => [status, body])).toEqual(kept.map(() => [200, { path: 'new/' }]))
    const foldersNow = async () => (await client.call('GET', `/api/files?vaultId=${vault.id}&delimiter=/`)).body.folders
    expect(await foldersNow()).toEqual([{ path: 'new/' }])
    for (const _ of [1, 2]) expect(await forget('new/')).toMatchObject({ status: 200, body: { path: 'new/' } })
    expect(await foldersNow()).toEqual([])
    const { events } = (await client.call('GET', `/api/account/file-events?subjectId=${vault.id}`)).body
    expect(events.map(({ details }: { details: object }) => details)).toEqual([
      { forgottenFolder: 'new/' },
      { keptFolder: 'new/' },
      expect.objectContaining({ vaultName: 'Folders' }),
    ])
  })

  it('moves with a job that moves its files, and is removed by a job that trashes or deletes them', async () => {
    const { client, vault, root } = await vaultWith(['a/1', 'x/1'], ['a/', 'a/empty/', 'ab/', 'x/y/', 'z/'])
    const other = await client.createVault('Other', 'public')
    const run = async (what: string, json: object) => {
      const { body } = await client.call('POST', `${root}/${what}`, { json })
      expect((await finishJob(t, client, body.job.id)).state).toBe('done')
    }
    const keptOf = async ({ id }: { id: string }) =>
      (await t.database.sql<{ path: string }>('select path from kept_folder where vault_id = $1 order by path', [id])).map(({ path }) => path) // biome-ignore format: one chain
    await run('move', { prefix: 'a/', to: 'a/b/' })
    expect(await keptOf(vault)).toEqual(['a/b/', 'a/b/empty/', 'ab/', 'x/y/', 'z/'])
    await run('move', { prefix: 'a/b/', to: 'c/', toVaultId: other.id })
    expect(await keptOf(vault)).toEqual(['ab/', 'x/y/', 'z/'])
    expect(await keptOf(other)).toEqual(['c/', 'c/empty/'])
    const { events } = (await client.call('GET', `/api/account/file-events?subjectId=${other.id}`)).body
    const kept = events.map(({ details }: { details: { keptFolder?: string } }) => details.keptFolder)
    expect(kept.filter(Boolean).toSorted()).toEqual(['c/', 'c/empty/'])
    await run('trash', { prefix: 'x/' })
    await run('delete', { prefix: 'z' })
    expect(await keptOf(vault)).toEqual(['ab/'])
  })

  it('is removed with its vault, and rejected if invalid, beyond the limit, or in another account', async () => {
    const { client, vault, keep, root } = await vaultWith([], ['a'])
    for (const path of ['a//b', 'a%2F..', 'a%2F..%2Fb', '%00', 'a%5Cb']) {
      expect((await keep(path)).status, path).toBe(400)
    }
    expect((await keep('x'.repeat(256))).body.code).toBe('path_too_long')
    expect((await clientOf(t).call('PUT', `${root}/folders/b`)).status).toBe(404)
    expect((await visitorOf(t)(`${root}/folders/b`, { method: 'PUT' })).status).toBe(401)
    for (const id of [newAccount(), 'none'])
      expect((await client.call('PUT', `/api/vaults/${id}/folders/b`)).status).toBe(404)
    await t.database.sql(
      `insert into kept_folder (vault_id, path) select $1, 'f' || n || '/' from generate_series(1, 998) as n`,
      [vault.id],
    )
    const holder = await t.db.startTransaction().execute()
    await sql`select from vault where id = ${vault.id} for no key update`.execute(holder)
    const two = Promise.all([keep('b'), keep('c')])
    const areWaiting = `select from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`
    await waitFor(async () => (await t.database.sql(areWaiting)).length >= 2)
    await holder.commit().execute()
    expect((await two).map(({ status }) => status).toSorted()).toEqual([200, 409])
    expect(await keep('more')).toMatchObject({ status: 409, body: { code: 'too_many_folders' } })
    expect((await keep('a')).status).toBe(200)
    expect((await client.call('DELETE', root)).status).toBe(200)
    expect((await keep('a')).status).toBe(404)
    await t.database.sql('delete from vault where id = $1', [vault.id])
    expect(await t.database.sql('select 1 from kept_folder where vault_id = $1', [vault.id])).toEqual([])
  })
})
