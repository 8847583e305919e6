import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { canFindNames, findNames } from '../../src/lists/search-names.ts'
import { type Bundle, setup } from '../bundle.ts'
import { clientOf } from '../client.ts'

let t: Bundle
let client: ReturnType<typeof clientOf>
beforeAll(async () => {
  t = await setup()
  client = clientOf(t)
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
afterAll(() => t[Symbol.asyncDispose]())

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
    ['grösse', ['Größe.png']],
    ['GRÖẞE', ['Größe.png']],
    ['gro\u0308ße', ['Größe.png']],
    ['größe', ['Größe.png']],
    ['GRÖ', ['Größe.png']],
    ['at the', ['holiday at the sea.jpeg']],
    ['%', ['100% Report_final.PDF']],
    ['t_f', ['100% Report_final.PDF']],
    ['t_', ['100% Report_final.PDF']],
    ['eport_', ['100% Report_final.PDF']],
    ['a%e', []],
    ['\\', []],
    ['e', ['Größe.png', 'holiday at the sea.jpeg', 'notes.txt', 'reportage.mp4', '100% Report_final.PDF']],
    ['nowhere', []],
  ])('finds by a part of the name: %j', async (q, expected) => {
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
  ])('finds a name however case is written: %s', async (name, searches) => {
    const writer = clientOf(t)
    expect((await writer.requestUpload({ vaultId: await writer.defaultVault(), sizeBytes: 1, name })).status).toBe(201)
    for (const q of [name, ...searches]) {
      const { body } = await writer.call('GET', `/api/files?${new URLSearchParams({ q })}`)
      expect.soft(body.files, q).toHaveLength(1)
      const found = canFindNames(q) ? await findNames(t.db, writer.accountId, q, 1) : null
      expect.soft(found ?? 'too short for the index', q).not.toHaveLength(0)
    }
  })

  it('finds a renamed file by its new name alone, and nobody else’s', async () => {
    const [file] = (await client.call('GET', '/api/files?q=notes')).body.files
    await client.call('PATCH', `/api/files/${file.id}`, { json: { name: 'diary.txt' } })
    expect(await names({ q: 'notes' })).toEqual([])
    expect(await names({ q: 'diary' })).toEqual(['diary.txt'])
    await client.call('PATCH', `/api/files/${file.id}`, { json: { name: 'notes.txt' } })
    expect((await clientOf(t).call('GET', '/api/files?q=report')).body.files).toEqual([])
  })

  it('finds by type, exactly or by its first half', async () => {
    expect(await names({ mimeType: 'image/*' })).toEqual(['Größe.png', 'holiday at the sea.jpeg'])
    expect(await names({ mimeType: 'IMAGE/PNG' })).toEqual(['Größe.png'])
    expect(await names({ mimeType: 'text/plain' })).toEqual([])
    expect(await names({ mimeType: 'text/plain; charset=utf-8' })).toEqual(['notes.txt'])
    for (const mimeType of ['im%/*', '*/*', 'i_age/png']) expect(await names({ mimeType })).toEqual([])
    for (const mimeType of ['image', 'image/', '/png', 'image/png/*']) {
      expect((await client.call('GET', `/api/files?${new URLSearchParams({ mimeType })}`)).status).toBe(400)
    }
  })

  it('finds by time of creation, given with any offset', async () => {
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

  it('takes a cursor for the very same filters only', async () => {
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
