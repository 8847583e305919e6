import { indexNames } from '@tideport/file-lifecycle/state/index-names'
import { beforeAll, describe, expect, it } from 'vitest'
import { canFindNames, findNames } from '../../src/lists/search.ts'
import { sharedBundle } from '../bundle.ts'
import { clientOf } from '../client.ts'

const t = sharedBundle()
const client = clientOf(t)
const ownerOfMany = clientOf(t)
beforeAll(async () => {
  await fill(ownerOfMany, await ownerOfMany.defaultVault(), manyNames)
  const vaultId = await client.defaultVault()
  for (const [name, mimeType] of [
    ['100% Report_final.PDF', 'application/pdf'],
    ['Größe.png', 'image/png'],
    ['holiday at the sea.jpeg', 'image/jpeg'],
    ['notes.txt', 'text/plain; charset=utf-8'],
    ['reportage.mp4', 'video/mp4'],
  ]) {
    expect((await client.requestUpload({ vaultId, sizeBytes: 1, name, mimeType })).status).toBe(201)
  }
})

async function names(query: Record<string, string>): Promise<string[]> {
  const { status, body } = await client.call('GET', `/api/files?${new URLSearchParams({ sortBy: 'name', order: 'asc', ...query })}`) // biome-ignore format: one call
  expect(status).toBe(200)
  return body.files.map(({ name }: { name: string }) => name)
}

describe('GET /api/files', () => {
  it.each([
    ['report', ['100% Report_final.PDF', 'reportage.mp4']],
    ['REPORT', ['100% Report_final.PDF', 'reportage.mp4']],
    ['GRÖSSE', ['Größe.png']],
    ['gro\u0308ße', ['Größe.png']],
    ['at the', ['holiday at the sea.jpeg']],
    ['%', ['100% Report_final.PDF']],
    ['t_f', ['100% Report_final.PDF']],
    ['a%e', []],
    ['\\', []],
    ['e', ['Größe.png', 'holiday at the sea.jpeg', 'notes.txt', 'reportage.mp4', '100% Report_final.PDF']],
  ])('finds by part of the name: %j', async (q, expected) => {
    expect((await names({ q })).toSorted()).toEqual(expected.toSorted())
  })

  it.each([
    ['Straße', ['strasse', 'STRASSE', 'STRAẞE']],
    ['ﬁnal oﬃce', ['FINAL OFFICE', 'final o', 'ﬁ']],
    ['ISTANBUL İZMİR ılık', ['istanbul', 'ıstanbul', 'izmir', 'İzmir', 'ILIK', 'I\u0307LIK']],
    ['Congreſs', ['CONGRESS', 'congress']],
    ['5 µm', ['5 ΜM', '5 μm', '5 µM']],
    ['ΟΔΟΣ και ΟΔΟΣΑ', ['οδος', 'οδοσα', 'ΟΔΟΣΑ']],
    ['Ǆ ŉ ΐ Ω', ['ǆ ŉ ΐ ω', 'ǅ ʼN Ϊ́ Ω']],
  ])('ignores the case of a name: %s', async (name, searches) => {
    const writer = clientOf(t)
    expect((await writer.requestUpload({ vaultId: await writer.defaultVault(), sizeBytes: 1, name })).status).toBe(201)
    for (const q of [name, ...searches]) {
      const { body } = await writer.call('GET', `/api/files?${new URLSearchParams({ q })}`)
      expect.soft(body.files, q).toHaveLength(1)
      const found = canFindNames(q) ? await findNames(t.db, writer.accountId, q, 1) : null
      expect.soft(found ?? 'too short for the index', q).not.toHaveLength(0)
    }
  })

  it('finds a renamed file only by its new name, and no files of other accounts', async () => {
    const [file] = (await client.call('GET', '/api/files?q=notes')).body.files
    await client.call('PATCH', `/api/files/${file.id}`, { json: { name: 'diary.txt' } })
    expect(await names({ q: 'notes' })).toEqual([])
    expect(await names({ q: 'diary' })).toEqual(['diary.txt'])
    await client.call('PATCH', `/api/files/${file.id}`, { json: { name: 'notes.txt' } })
    expect((await clientOf(t).call('GET', '/api/files?q=report')).body.files).toEqual([])
  })

  it('finds by type, exactly or by class', async () => {
    expect(await names({ mimeType: 'image/*' })).toEqual(['Größe.png', 'holiday at the sea.jpeg'])
    expect(await names({ mimeType: 'IMAGE/PNG' })).toEqual(['Größe.png'])
    for (const mimeType of ['text/plain', 'TEXT/*', 'Text/Plain ;charset="UTF-8"', 'text/plain; charset=utf-8']) {
      for (const more of [{}, { sortBy: 'createdAt' }, { vaultId: await client.defaultVault() }]) {
        expect(await names({ mimeType, ...more }), mimeType).toEqual(['notes.txt'])
      }
    }
    expect(await names({ mimeType: '*/*' })).toEqual(await names({}))
    const none = ['im%/*', 'i_age/png', 'text/plai', 'text/plain; charset=utf', 'text/plain; charset=utf-8; a=b']
    for (const mimeType of none) expect(await names({ mimeType })).toEqual([])
    for (const mimeType of ['image', 'image/', '/png', 'image/png/*', '*/png', '*', 'text/*; a=b']) {
      expect((await client.call('GET', `/api/files?${new URLSearchParams({ mimeType })}`)).status).toBe(400)
    }
  })

  it('finds by creation time with any UTC offset', async () => {
    const [newest] = (await client.call('GET', '/api/files?limit=1')).body.files
    const at = Date.parse(newest.createdAt)
    const before = new Date(at - 1).toISOString()
    const local = new Date(at - 1 + 2 * 3_600_000).toISOString().replace('Z', '+02:00')
    const after = new Date(at + 1).toISOString()
    expect(await names({ createdAfter: before, createdBefore: after })).toContain(newest.name)
    expect(await names({ createdAfter: local })).toEqual(await names({ createdAfter: before }))
    expect(await names({ createdAfter: after })).toEqual([])
    expect(await names({ createdAfter: newest.createdAt })).toEqual([])
    expect(await names({ createdBefore: newest.createdAt })).not.toContain(newest.name)
    expect(await names({ createdBefore: before })).not.toContain(newest.name)
    const outside = ['yesterday', '0000-01-01T00:00:00Z', '0001-01-01T00:00:00%2B01:00', '9999-12-31T23:59:59-01:00']
    for (const time of outside)
      for (const path of [`/api/files?createdAfter=${time}`, `/api/account/file-events?before=${time}`])
        expect((await client.call('GET', path)).status, path).toBe(400)
    expect(await names({ createdAfter: '0001-01-01T00:00:00Z' })).toContain(newest.name)
  })

  it('accepts a cursor only with the same filters', async () => {
    const filters = new URLSearchParams({
      q: 'report',
      mimeType: 'video/*',
      createdAfter: '2020-01-01T00:00:00Z',
      limit: '1',
    })
    const first = await client.call('GET', `/api/files?q=report&createdAfter=2020-01-01T00:00:00Z&limit=1`)
    const { nextCursor } = first.body
    expect(nextCursor).toEqual(expect.any(String))
    const next = (query: string) => client.call('GET', `/api/files?${query}&cursor=${nextCursor}`)
    expect((await next(`${filters}`)).status).toBe(400)
    expect((await next('q=reports&createdAfter=2020-01-01T00:00:00Z&limit=1')).status).toBe(400)
    expect((await next('q=report&limit=1')).status).toBe(400)
    const second = await next('q=report&createdAfter=2020-01-01T01:00:00%2B01:00&limit=1')
    expect(second.body).toMatchObject({ files: [{ name: '100% Report_final.PDF' }], nextCursor: null })
  })
})

const COUNT = 3500

/** A thousand new files, and 2500 older files with another word: more matches than a search reads from the index. */
const manyNames = Array.from({ length: COUNT }, (_, index) => {
  const words = [index < 1000 ? 'recent' : 'Buried', index % 4 === 0 ? 'Ärger' : 'plain', `n${index}`]
  if (index === 2000) words.push('50%_off\\now')
  return words.join(' ')
})

async function fill({ accountId }: { accountId: string }, vaultId: string, theirNames: string[]) {
  await t.database.sql(
    `insert into file (id, account_id, vault_id, name, mime_type, size_bytes, status, upload_key, upload_expires_at,
       confirmed_at, created_at)
     select gen_random_uuid(), $1, $2, name, 'text/plain', 0, 'cold', 'k' || n, now(), now(),
       now() - make_interval(secs => n)
     from unnest($3::text[]) with ordinality as named (name, n)`,
    [accountId, vaultId, theirNames],
  )
}

async function found(q: string, more: Record<string, string> = {}, searcher = ownerOfMany): Promise<string[]> {
  const pages = await searcher.pages(`/api/files?${new URLSearchParams({ q, ...more, limit: '100' })}`)
  return pages.flatMap(({ files }) => files.map(({ name }: { name: string }) => name))
}

describe('a search in many names returns every match once, in the order of the list', () => {
  it.each([
    ['frequent near the beginning', 'RECENT'],
    ['frequent everywhere', 'ärger'],
    ['frequent, but far from the beginning', 'buried'],
    ['rare and far', 'n3456'],
    ['rare, with characters that are special in patterns', '50%_OFF\\n'],
    ['text that would match as a pattern', 'n%4_6'],
    ['two characters', '77'],
    ['one character', '%'],
    ['one letter that is not ASCII', 'Ä'],
    ['in no name', 'nowhere'],
  ])('%s: %s', async (_case, q) => {
    const matching = manyNames.filter((name) => name.toLowerCase().includes(q.toLowerCase()))
    expect(await found(q)).toEqual(matching)
    expect(await found(q, { sortBy: 'name', order: 'asc' })).toEqual(matching.toSorted(byBytes))
  })

  it.each(['e', 'file'])('finds trashed files and files of trashed vaults only in the trash: %s', async (q) => {
    const tidy = clientOf(t)
    const { id: vaultId } = await tidy.createVault('Gone', 'private')
    const [kept, alone, withVault] = [namesWith('kept'), namesWith('alone'), namesWith('vault')] as const
    await fill(tidy, await tidy.defaultVault(), [...kept, ...alone])
    await fill(tidy, vaultId, withVault)
    const trashed = 'deleted_at = now(), purge_due_at = now()'
    await t.database.sql(`update file set ${trashed} where account_id = $1 and name like '%alone'`, [tidy.accountId])
    await t.database.sql(`update vault set ${trashed} where id = $1`, [vaultId])
    const byName = { sortBy: 'name', order: 'asc' }
    expect(await found(q, { ...byName, trashed: 'true' }, tidy)).toEqual([...alone, ...withVault].toSorted(byBytes))
    expect(await found(q, byName, tidy)).toEqual(kept.toSorted(byBytes))
  })
})

describe('far from the beginning of a list', () => {
  const moreNames = Array.from({ length: 1500 }, (_, index) => `other ${index}`)

  it('a file is found by its current name, before and after indexing', async () => {
    const busy = clientOf(t)
    const vaultId = await busy.defaultVault()
    await fill(busy, vaultId, [...moreNames, 'the needle'])
    const indexAll = async () => {
      while (await indexNames(t)) {}
    }
    const rename = (from: string, to: string) =>
      t.database.sql('update file set name = $2 where account_id = $1 and name = $3', [busy.accountId, to, from])
    expect(await found('needle', {}, busy)).toEqual(['the needle'])
    await indexAll()
    expect(await found('needle', {}, busy)).toEqual(['the needle'])
    await rename('the needle', 'the pin')
    expect(await found('needle', {}, busy)).toEqual([])
    expect(await found('the pin', {}, busy)).toEqual(['the pin'])
    await indexAll()
    expect(await found('needle', {}, busy)).toEqual([])
    expect(await found('the pin', {}, busy)).toEqual(['the pin'])
  })
})

const namesWith = (word: string) => Array.from({ length: 150 }, (_, index) => `file ${index} ${word}`)

/** The order of names: by UTF-8 bytes. */
const byBytes = (a: string, b: string) => Buffer.compare(Buffer.from(a), Buffer.from(b))
